package files

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Places are what an order by distance says of every pair without a table: the utility of an
// output is minus its distance.
type Places struct {
	in, out  [][]float64 // points: on the unit sphere, or with the numbers of the file
	sphere   bool
	from, to []uint64 // nil for points: places on a line or a circle, in its order
	around   uint64   // length of the circle, 0 for a line
	scale    float64  // how many steps of the line make 1
}

// ReadPlaces reads the file of the spec: a column label, or else the first; latitude and
// longitude, or lat and lon, or else every column of numbers. Why says what keeps it from
// being read.
func ReadPlaces(data []byte, in, out []Label) (p *Places, why string) {
	s := newSheet(string(data))
	header, _ := s.next()
	at := func(name string) int {
		return slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
	}
	var lines [][]string
	for line, more := s.next(); more; line, more = s.next() {
		switch {
		case len(line) == 1 && strings.TrimSpace(line[0]) == "":
		case len(line) != len(header):
			return nil, "a line of it has another number of cells"
		default:
			lines = append(lines, line)
		}
	}
	if s.bad || header == nil {
		return nil, "it is no CSV"
	}
	number := func(cell string) (float64, error) { return strconv.ParseFloat(strings.TrimSpace(cell), 64) }
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
			if _, err := number(line[i]); err == nil {
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
			if v, err := number(line[i]); err == nil && math.Abs(v) <= 1e300 {
				c = append(c, v+0)
			}
		}
		if len(c) == len(column) && c != nil {
			place[line[label]] = p.point(c)
		}
	}
	for i, l := range slices.Concat(in, out) {
		switch c := place[l.Text]; {
		case l.Null || c == nil:
			return nil, "some value has no place in it by its name"
		case i < len(in):
			p.in = append(p.in, c)
		default:
			p.out = append(p.out, c)
		}
	}
	return p, ""
}

// point is where a place is: on the unit sphere for degrees.
func (p *Places) point(c []float64) []float64 {
	if !p.sphere {
		return c
	}
	north, east := c[0]*math.Pi/180, c[1]*math.Pi/180
	return []float64{math.Cos(north) * math.Cos(east), math.Cos(north) * math.Sin(east), math.Sin(north)}
}

// ReadSteps reads a line that has no file of places: "numeric" by the labels themselves, of
// the kind that the plan states, else a list, one value a line, which is a circle where the
// form says so. Why says what keeps it from being read.
func ReadSteps(form, kind string, data []byte, in, out []Label) (p *Places, why string) {
	p = &Places{scale: 1}
	labels := slices.Concat(in, out)
	var at []uint64
	ok := !slices.ContainsFunc(labels, func(l Label) bool { return l.Null })
	if form == "numeric" {
		at, p.scale = numbers(kind, labels)
	} else {
		s := newSheet(string(data))
		place := map[string]uint64{}
		for line, more := s.next(); more; line, more = s.next() {
			if _, twice := place[line[0]]; len(line) > 1 || twice {
				ok = false
			}
			place[line[0]] = uint64(len(place))
		}
		for _, l := range labels {
			if k, known := place[l.Text]; known {
				at = append(at, k)
			}
		}
		if ok = ok && !s.bad; form == "circular" {
			p.around = uint64(len(place))
		}
	}
	if !ok || len(at) != len(labels) {
		return nil, "some value has no place in it by its name"
	}
	p.from, p.to = at[:len(in):len(in)], at[len(in):]
	return p, ""
}

// numbers are labels as whole numbers from 0 on, with the differences that labels have times
// the power of ten that makes them whole; fewer where some label is none.
func numbers(kind string, labels []Label) (at []uint64, scale float64) {
	digits := 0
	for _, l := range labels {
		if _, fraction, _ := strings.Cut(l.Text, "."); kind == "text" {
			digits = max(digits, len(strings.TrimRight(fraction, "0")))
		}
	}
	for _, signed := range []bool{true, false} {
		at = at[:0]
		for _, l := range labels {
			var v uint64
			k, ok := Type{Kind: map[string]Kind{"date": Date, "boolean": Boolean}[kind]}.Key(l.Text)
			if v = uint64(k.Number) + 1<<63; kind != "date" && kind != "boolean" {
				whole := l.Text
				if kind == "text" {
					units, fraction, _ := strings.Cut(l.Text, ".")
					fraction = strings.TrimRight(fraction, "0")
					whole = units + fraction + strings.Repeat("0", digits-len(fraction))
				}
				n, err := strconv.ParseInt(whole, 10, 64)
				if v, ok = uint64(n)+1<<63, err == nil; !signed {
					v, err = strconv.ParseUint(whole, 10, 64)
					ok = err == nil
				}
			}
			if !ok {
				break
			}
			at = append(at, v)
		}
		if len(at) == len(labels) {
			break
		}
	}
	return at, math.Pow10(digits)
}

// Row fills in the utilities of input x: on a sphere of 6371.0088 km the great circle, of
// which the chord is 2 sin(d/2); else the straight distance, or steps.
func (p *Places) Row(x int, value []float64) {
	for y, q := range p.to {
		d := max(p.from[x], q) - min(p.from[x], q)
		if p.around > 0 {
			d = min(d, p.around-d)
		}
		value[y] = 0 - float64(d)/p.scale
	}
	for y, b := range p.out {
		a, sum := p.in[x], 0.0
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
