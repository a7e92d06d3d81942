package utility

import "math"

// Places say where the letters of an order by position lie. Null, where the
// spec does not name it, lies nowhere.
type Places struct {
	Degrees bool // of longitude and latitude; else of a plane, in the unit of the spec
	o       *points
	in, out map[int][2]float64 // instead of o, of those that are known
}

// Listed are places of which only some are known, by letter.
func Listed(degrees bool, in, out map[int][2]float64) *Places {
	return &Places{Degrees: degrees, in: in, out: out}
}

// Input is where input letter x lies: longitude and latitude, or x and y, 0 on
// a line. ok is false for one that lies nowhere.
func (p *Places) Input(x int) (east, north float64, ok bool) {
	if p.o == nil {
		at, ok := p.in[x]
		return at[0], at[1], ok
	}
	return p.at(p.o.in, x)
}

// Output is where output letter y lies, as Input.
func (p *Places) Output(y int) (east, north float64, ok bool) {
	if p.o == nil {
		at, ok := p.out[y]
		return at[0], at[1], ok
	}
	return p.at(p.o.out, y)
}

func (p *Places) at(all []float64, i int) (east, north float64, ok bool) {
	d := p.o.dim
	if i < 0 || (i+1)*d > len(all) {
		return 0, 0, false
	}
	c := all[i*d : (i+1)*d]
	switch {
	case p.Degrees:
		return degreesOf(math.Atan2(c[1], c[0])), degreesOf(math.Atan2(c[2], math.Hypot(c[0], c[1]))), true
	case d == 1:
		return c[0], 0, true
	}
	return c[0], c[1], true
}

// degreesOf rounds to a millionth, a tenth of a metre on the ground: unit
// vectors hold degrees to fewer digits than a float has.
func degreesOf(radians float64) float64 { return math.Round(radians*180/math.Pi*1e6)/1e6 + 0 }

// places are those of an order that can be drawn: nil beyond two dimensions.
func (o *points) places() *Places {
	if !o.sphere && o.dim > 2 {
		return nil
	}
	return &Places{Degrees: o.sphere, o: o}
}
