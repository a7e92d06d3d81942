package utility

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// earthKm is the mean radius of the Earth, R1 of the IUGG.
const earthKm = 6371.0088

// points is an order by distance: of unit vectors along the sphere, else
// straight. Coordinates lie one after the other, dim per letter.
type points struct {
	dim     int
	sphere  bool
	in, out []float64

	once sync.Once
	tree *boxes // all outputs, once a rank was asked for
}

func (o *points) Inputs() int { return len(o.in) / o.dim }

func (o *points) Outputs() int { return len(o.out) / o.dim }

// Row implements mechanism.Order. Squares of differences do not depend on the
// order of the two letters, so u'(x,y) and u'(y,x) are the same bits. The
// great circle is 2R asin(chord/2), the haversine formula with the chord taken
// from unit vectors.
func (o *points) Row(x int, rank []uint16, value []float64) {
	a := o.input(x)
	fill(o.Outputs(), rank, value, func(value []float64) {
		for y := range value {
			b := o.output(y)
			value[y] = o.worth(a, b, o.square(a, b))
		}
	})
}

// buildPositions reads positions:FILE.csv. The label is in column label, else
// in the first; latitude and longitude (or lat and lon) in degrees win over
// all other columns, else every other column of numbers is a coordinate.
func buildPositions(b *builder, path string) *draft {
	s := b.read(path)
	header := s.header(2, "columns are label,latitude,longitude or label,x,y,...")
	labelAt := max(s.column(header, "label"), 0)
	coordinate := degrees(s, header)
	sphere := coordinate != nil
	var cells [][]string
	var names list
	for cell := range s.records {
		cells = append(cells, slices.Clone(cell))
		names.add(cell[labelAt], s.place(labelAt+1))
	}
	known := b.places(s, names)
	c := b.assign(known, nil)
	d := &draft{cast: c, unit: "km", basis: "minus great-circle kilometres between latitude and longitude"}
	if !sphere {
		if coordinate = numeric(header, labelAt, cells); coordinate == nil {
			fail(errorf("columns are label,latitude,longitude or label,x,y,...",
				"%s: no columns latitude and longitude, and no column of numbers next to the label", s.name))
		}
		var name []string
		for _, i := range coordinate {
			name = append(name, oneLine(header[i]))
		}
		d.unit, d.basis = "", "minus the distance in "+strings.Join(name, ", ")
	}
	place := func(ls []letter) (out []float64) {
		for _, l := range ls {
			i := known[l]
			s.begin = names.at[i].line
			out = append(out, position(s, cells[i], coordinate, sphere)...)
		}
		return out
	}
	o := &points{dim: len(coordinate), sphere: sphere, in: place(c.rows), out: place(c.outputs)}
	if sphere {
		o.dim = 3
	}
	d.order = o
	return d
}

// degrees finds the columns of latitude and longitude; nil where there is
// neither.
func degrees(s *sheet, header []string) (column []int) {
	for _, pair := range [][2]string{{"latitude", "longitude"}, {"lat", "lon"}} {
		at := []int{s.column(header, pair[0]), s.column(header, pair[1])}
		switch {
		case at[0] >= 0 && at[1] >= 0:
			return at
		case at[0] >= 0 || at[1] >= 0:
			missing := pair[0]
			if at[0] >= 0 {
				missing = pair[1]
			}
			s.fail(max(at[0], at[1])+1, "name the columns latitude,longitude or lat,lon",
				"there is no column %s beside %s", missing, quote(header[max(at[0], at[1])]))
		}
	}
	return nil
}

// numeric lists the columns in which at least half of the cells are numbers:
// columns of text are left out, and a slip within a column of numbers is
// still found.
func numeric(header []string, label int, cells [][]string) []int {
	var columns []int
	for i := range header {
		numbers := 0
		for _, c := range cells {
			if _, err := strconv.ParseFloat(strings.TrimSpace(c[i]), 64); err == nil {
				numbers++
			}
		}
		if i != label && numbers > 0 && 2*numbers >= len(cells) {
			columns = append(columns, i)
		}
	}
	return columns
}

// position is the place of one letter; coordinates stay so small that squares
// do not overflow.
func position(s *sheet, cell []string, column []int, sphere bool) []float64 {
	p := make([]float64, len(column))
	for i, c := range column {
		if p[i] = s.number(c+1, cell[c], false); math.Abs(p[i]) > 1e100 {
			s.fail(c+1, "", "%v is too large for a coordinate", p[i])
		}
	}
	switch {
	case !sphere:
		return p
	case math.Abs(p[0]) > 90:
		s.fail(column[0]+1, "latitude is the north-south degree; are the columns swapped?",
			"latitude %v is not within -90 and 90", p[0])
	case math.Abs(p[1]) > 180:
		s.fail(column[1]+1, "write degrees west as negative numbers", "longitude %v is not within -180 and 180", p[1])
	}
	latitude, longitude := p[0]*math.Pi/180, p[1]*math.Pi/180
	return []float64{math.Cos(latitude) * math.Cos(longitude), math.Cos(latitude) * math.Sin(longitude),
		math.Sin(latitude)}
}
