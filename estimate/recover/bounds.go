package recover

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Bounds are the least and the largest share of some letters together over all laws
// that are as likely as the best one. They are sharp: every share between them fits the
// outputs as well. At a point they are equal.
type Bounds struct {
	Low, High  float64
	Errors     [2]float64 // standard errors of the ends, for File and Population alike
	Determined bool       // Low and High are the same, up to rounding
}

// Within covers the share with the chance of a level, or more.
func (b Bounds) Within(level float64) Interval {
	return around(b.Low, b.Errors[0], b.High, b.Errors[1], level)
}

// rounding is the difference of ends that counts as none.
const rounding = 1e-9

// Bounds finds the ranges of the shares of sets of letters. The end of a range is that
// of a sum that can be estimated, c' <= c at the low end: the weights of letters at 0 are
// lowered to what the others make of them. So the end has the standard error of that
// sum's estimate; the larger one is taken, that for the population. Where floats cannot
// tell so much, ranges are wider.
func (f *Fit) Bounds(l *Linear, sets [][]int) []Bounds {
	out := make([]Bounds, len(sets))
	if len(sets) == 0 {
		return out
	}
	ends := f.ends(newVertex(f, false), sets, out)
	a, off := l.solve(ends)
	var lost [][]int
	var at []int
	for j := range out {
		for end := range 2 {
			if !(off[2*j+end] <= mostOff) {
				if len(at) == 0 || at[len(at)-1] != j {
					lost, at = append(lost, sets[j]), append(at, j)
				}
				continue
			}
			share, square := l.seen(a, 2*j+end)
			out[j].Errors[end] = root((square - share*share) / f.s.Draws)
		}
	}
	for k, b := range f.coarse(lost) {
		out[at[k]] = b
	}
	return out
}

// ends sets the ends of ranges, and returns the weights of the sums that have them, two
// columns for each: those of the high end are of its opposite.
func (f *Fit) ends(v *vertex, sets [][]int, out []Bounds) *mat.Dense {
	n := f.c.Letters()
	ends := mat.NewDense(n, 2*len(sets), nil)
	weight, least := make([]float64, n), make([]float64, n)
	start := v.clone()
	for j, set := range sets {
		for end, sign := range []float64{1, -1} {
			// Of sums with one value at a corner where many meet, which is found depends on
			// the way: so all ways have the same start, and an end says nothing of the others.
			v.be(start)
			clear(weight)
			for _, x := range set {
				weight[x] = sign
			}
			value, ok := v.least(weight, least)
			if !ok { // no share is below 0 or above 1
				value = min(0, sign)
				for x := range least {
					least[x] = value
				}
			}
			for x, w := range least {
				ends.Set(x, 2*j+end, w)
			}
			if end == 0 {
				out[j].Low = max(0, value)
			} else {
				out[j].High = min(1, -value)
			}
		}
		out[j].settle()
	}
	return ends
}

// settle puts the ends in order.
func (b *Bounds) settle() {
	b.High = max(b.Low, b.High)
	b.Determined = b.High-b.Low <= rounding
}

// coarse finds ranges where p is nearly singular. The mean of a q^ is below c P for any a
// with p a <= c; where p a is above c by a little, the range is wider by that.
func (f *Fit) coarse(sets [][]int) []Bounds {
	out := make([]Bounds, len(sets))
	if len(sets) == 0 {
		return out
	}
	v := newVertex(f, true)
	ends := f.ends(v, sets, out)
	c := &Channel{law: v.law, p: chances(v.law)}
	l := c.linear(f.s.lumped(), v.basic)
	a, _ := solved(&l.lq, l.rows, l.scale, ends)
	for j, set := range sets {
		holds := make([]float64, c.Letters())
		for _, x := range set {
			holds[x] = 1
		}
		b := &out[j]
		for end, sign := range []float64{1, -1} {
			off, share, square := math.Inf(1), 0.0, 0.0
			if a != nil {
				off = l.above(a, 2*j+end, sign, holds)
				share, square = l.seen(a, 2*j+end)
			}
			if !(off < 1) {
				off, share, square = 1, 0, 0
			}
			b.Errors[end] = root((square - share*share) / f.s.Draws)
			if end == 0 {
				b.Low = max(0, b.Low-off)
			} else {
				b.High = min(1, b.High+off)
			}
		}
		b.settle()
	}
	return out
}

// above is by how much p a is above sign times c for some letter, with column j of a.
func (l *Linear) above(a *mat.Dense, j int, sign float64, c []float64) (most float64) {
	var got mat.VecDense
	got.MulVec(l.c.p, a.ColView(j))
	for x, w := range c {
		if off := got.AtVec(x) - sign*w; !(off <= most) {
			most = off
		}
	}
	return most
}
