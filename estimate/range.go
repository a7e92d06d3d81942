package estimate

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/tacet-privacy/tacet/mechanism/recovery"
)

// Bounds are the least and the largest share of some letters together over all laws
// that are as likely as the best one. They are sharp: every share between them fits the
// outputs as well. At a point they are equal.
type Bounds struct {
	Low, High  float64
	Errors     [2]float64 // standard errors of the ends, for file and population alike
	Determined bool       // Low and High are the same, up to rounding
	// Estimates that have these errors: of shares below the low end, and above the high one.
	// They are the ends themselves unless p is nearly singular.
	Beyond [2]float64
}

// Within covers the share with the chance of a level, or more.
func (b Bounds) Within(level float64) Interval {
	in := around(b.Beyond[0], b.Errors[0], b.Beyond[1], b.Errors[1], level)
	return Interval{min(in.Low, b.Low), max(in.High, b.High)}
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
	b.Beyond = [2]float64{b.Low, b.High}
}

// coarse finds ranges where p is nearly singular. The mean of a q^ is below c P + r for
// any a with p a <= c + r. Of all a those are taken for which the variance of a q^ and the
// squares of p a - c' make the least sum.
func (f *Fit) coarse(sets [][]int) []Bounds {
	out := make([]Bounds, len(sets))
	if len(sets) == 0 {
		return out
	}
	v := newVertex(f, true)
	ends := f.ends(v, sets, out)
	s := f.s.lumped()
	l := &Linear{c: &Channel{law: v.law, p: recovery.Chances(v.law)}, s: s, scale: s.scale()}
	a := l.ridge(ends)
	for j, set := range sets {
		holds := make([]float64, l.c.Letters())
		for _, x := range set {
			holds[x] = 1
		}
		b := &out[j]
		for end, sign := range []float64{1, -1} {
			b.Beyond[end] = float64(end)
			if a == nil {
				continue
			}
			off := l.above(a, 2*j+end, sign, holds)
			if share, square := l.seen(a, 2*j+end); off < 1 {
				b.Beyond[end] = sign * (share - off)
				b.Errors[end] = root((square - share*share) / s.Draws)
			}
		}
	}
	return out
}

// ridge is weights of columns that p may not tell: next to p, every letter has an output of
// its own, so rare that what it adds is worth a standard error.
func (l *Linear) ridge(of *mat.Dense) *mat.Dense {
	n, m := l.c.Letters(), l.c.Outputs()
	wide := mat.NewDense(n, m+n, nil)
	for x := range n {
		to := wide.RawRowView(x)
		for y, p := range l.c.p.RawRowView(x) {
			to[y] = p * l.scale[y]
		}
		to[m+x] = 1 / math.Sqrt(l.s.Draws)
	}
	var lq mat.LQ
	lq.Factorize(wide)
	_, k := of.Dims()
	var all mat.Dense
	if err := lq.SolveTo(&all, false, of); err != nil {
		return nil
	}
	a := mat.NewDense(m, k, nil)
	for y, d := range l.scale {
		for j, v := range all.RawRowView(y) {
			a.Set(y, j, d*v)
		}
	}
	return a
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
