package files

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// steps are the places of values on a line or a circle, as whole numbers: the utility is
// minus their difference, divided by scale.
type steps struct {
	in, out []uint64 // in the order of the line
	around  uint64   // length of the circle, 0 for a line
	scale   float64
}

// ReadSteps reads a line that has no file of places: "numeric" by the labels themselves, of
// the kind that the plan states, else a list, one value a line. Why says what keeps it from
// being read.
func ReadSteps(form, kind string, data []byte, in, out []Label) (p *Places, why string) {
	s := &steps{scale: 1}
	var ok bool
	if form == "numeric" {
		s.in, s.out, s.scale, ok = numbers(kind, in, out)
	} else {
		s.in, s.out, s.around, ok = listed(data, in, out)
		if form != "circular" {
			s.around = 0
		}
	}
	if !ok {
		return nil, "some value has no place in it by its name"
	}
	return &Places{along: s}, ""
}

// listed are the places in a list, and its length.
func listed(data []byte, in, out []Label) (a, b []uint64, length uint64, ok bool) {
	s := sheetOf(data)
	place := map[string]uint64{}
	for line, more := s.Next(); more; line, more = s.Next() {
		label := strings.TrimSuffix(line[0], "\r")
		if _, twice := place[label]; len(line) > 1 || twice {
			return nil, nil, 0, false
		}
		place[label] = uint64(len(place))
	}
	find := func(labels []Label) (at []uint64) {
		for _, l := range labels {
			p, known := place[l.Text]
			ok = ok && known && !l.Null
			at = append(at, p)
		}
		return at
	}
	ok = !s.Bad
	a, b = find(in), find(out)
	return a, b, uint64(len(place)), ok
}

// numbers are labels as whole numbers, times the power of ten that makes them so.
func numbers(kind string, in, out []Label) (a, b []uint64, scale float64, ok bool) {
	labels, scale := slices.Concat(in, out), 1
	if kind == "text" {
		digits := 0
		for _, l := range labels {
			_, fraction, _ := strings.Cut(l.Text, ".")
			digits = max(digits, len(strings.TrimRight(fraction, "0")))
		}
		scale = math.Pow10(digits)
		labels = slices.Clone(labels)
		for i, l := range labels {
			whole, fraction, _ := strings.Cut(l.Text, ".")
			fraction = strings.TrimRight(fraction, "0")
			labels[i].Text = whole + fraction + strings.Repeat("0", digits-len(fraction))
		}
	}
	types := map[string][]Type{"date": {{Kind: Date}}, "boolean": {{Kind: Boolean}}}[kind]
	if types == nil {
		types = []Type{{Kind: Integer, Bits: 64}, {Kind: Integer, Bits: 64, Unsigned: true}}
	}
	for _, t := range types {
		var at []uint64
		for _, l := range labels {
			v, known := t.whole(l)
			if !known {
				break
			}
			at = append(at, v)
		}
		if len(at) == len(labels) {
			return at[:len(in)], at[len(in):], scale, true
		}
	}
	return nil, nil, 0, false
}

// whole is a label as a number from 0 on, with the differences that labels have.
func (t Type) whole(l Label) (v uint64, ok bool) {
	if l.Null {
		return 0, false
	}
	if t.Kind == Integer { // of text, too, which may be written otherwise
		if t.Unsigned {
			v, err := strconv.ParseUint(l.Text, 10, 64)
			return v, err == nil
		}
		v, err := strconv.ParseInt(l.Text, 10, 64)
		return uint64(v) + 1<<63, err == nil
	}
	k, ok := t.Key(l.Text)
	return uint64(k.Number) + 1<<63, ok
}

// row fills in the utilities of input x.
func (s *steps) row(x int, value []float64) {
	p := s.in[x]
	for y, q := range s.out {
		d := max(p, q) - min(p, q)
		if s.around > 0 {
			d = min(d, s.around-d)
		}
		value[y] = 0 - float64(d)/s.scale
	}
}
