package files

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Places are what an order by distance says of every pair without a table: the utility
// of an output is minus its distance, on a sphere of 6371.0088 km, straight, or in steps.
type Places struct {
	along   *steps // of a line or a circle; nil for points
	sphere  bool
	in, out [][]float64
}

// ReadPlaces reads the file of the spec: a column label, or else the first; latitude and
// longitude, or lat and lon, or else every column of numbers. Why says what keeps it from
// being read.
func ReadPlaces(data []byte, in, out []Label) (p *Places, why string) {
	s := sheetOf(data)
	header, ok := s.Next()
	if !ok {
		return nil, "it is empty"
	}
	header = slices.Clone(header)
	at := func(name string) int {
		return slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
	}
	var lines [][]string
	for line, more := s.Next(); more; line, more = s.Next() {
		if len(line) == 1 && strings.TrimSpace(line[0]) == "" {
			continue
		}
		if len(line) != len(header) {
			return nil, "a line of it has another number of cells"
		}
		lines = append(lines, slices.Clone(line))
	}
	if s.Bad {
		return nil, "it has quotes that do not close"
	}
	label := max(at("label"), 0)
	p = &Places{}
	var column []int
	for _, pair := range [][2]string{{"latitude", "longitude"}, {"lat", "lon"}} {
		if a, b := at(pair[0]), at(pair[1]); a >= 0 && b >= 0 && !p.sphere {
			p.sphere, column = true, []int{a, b}
		}
	}
	for i := range header {
		numbers := 0
		for _, line := range lines {
			if _, err := strconv.ParseFloat(strings.TrimSpace(line[i]), 64); err == nil {
				numbers++
			}
		}
		if !p.sphere && i != label && numbers > 0 && 2*numbers >= len(lines) {
			column = append(column, i)
		}
	}
	place := map[string][]float64{}
	for _, line := range lines {
		var c []float64
		for _, i := range column {
			v, err := strconv.ParseFloat(strings.TrimSpace(line[i]), 64)
			if err != nil || math.Abs(v) > 1e300 {
				c = nil
				break
			}
			c = append(c, v+0)
		}
		if c != nil {
			place[strings.TrimSuffix(line[label], "\r")] = p.at(c)
		}
	}
	for _, l := range slices.Concat(in, out) {
		if l.Null || place[l.Text] == nil {
			return nil, "some value has no place in it by its name"
		}
	}
	for _, l := range in {
		p.in = append(p.in, place[l.Text])
	}
	for _, l := range out {
		p.out = append(p.out, place[l.Text])
	}
	return p, ""
}

// at is the point of a place: on the unit sphere for degrees.
func (p *Places) at(c []float64) []float64 {
	if !p.sphere {
		return c
	}
	north, east := c[0]*math.Pi/180, c[1]*math.Pi/180
	return []float64{math.Cos(north) * math.Cos(east), math.Cos(north) * math.Sin(east), math.Sin(north)}
}

// Row fills in the utilities of input x.
func (p *Places) Row(x int, value []float64) {
	if p.along != nil {
		p.along.row(x, value)
		return
	}
	a := p.in[x]
	for y, b := range p.out {
		sum := 0.0
		for i := range a {
			d := a[i] - b[i]
			sum += float64(d * d) // rounded by itself
		}
		switch straight := math.Sqrt(sum); {
		case p.sphere:
			value[y] = 0 - 2*6371.0088*math.Asin(min(1, straight/2))
		case len(a) == 1:
			value[y] = 0 - math.Abs(a[0]-b[0])
		default:
			value[y] = 0 - straight
		}
	}
}

// Rank is that of output y in a row: 1 is worst; of equals the lower output ranks lower.
func Rank(value []float64, y int) int {
	rank := 1
	for z, v := range value {
		if v < value[y] || v == value[y] && z < y {
			rank++
		}
	}
	return rank
}

// Nearest is the utility of the k-th best output of a row, 1 for the best; it reorders a
// copy.
func Nearest(value, copied []float64, k int) float64 {
	copy(copied, value)
	lo, hi, at := 0, len(copied)-1, len(copied)-k
	for lo < hi {
		pivot := copied[lo+(hi-lo)/2]
		less, more := lo, hi
		for less <= more {
			for copied[less] < pivot {
				less++
			}
			for copied[more] > pivot {
				more--
			}
			if less <= more {
				copied[less], copied[more] = copied[more], copied[less]
				less, more = less+1, more-1
			}
		}
		if at <= more {
			hi = more
		} else if at >= less {
			lo = less
		} else {
			break
		}
	}
	return copied[at]
}
