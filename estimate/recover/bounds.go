package recover

import (
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
// sum's estimate; the larger one is taken, that for the population.
func (f *Fit) Bounds(l *Linear, sets [][]int) ([]Bounds, error) {
	out := make([]Bounds, len(sets))
	if len(sets) == 0 {
		return out, nil
	}
	v, err := newVertex(f)
	if err != nil {
		return nil, err
	}
	ends := mat.NewDense(f.c.Letters(), 2*len(sets), nil)
	weight, least := make([]float64, f.c.Letters()), make([]float64, f.c.Letters())
	for j, set := range sets {
		for end, sign := range []float64{1, -1} {
			clear(weight)
			for _, x := range set {
				weight[x] = sign
			}
			value, err := v.least(weight, least)
			if err != nil {
				return nil, err
			}
			for x, w := range least {
				ends.Set(x, 2*j+end, sign*w)
			}
			if end == 0 {
				out[j].Low = max(0, value)
			} else {
				out[j].High = min(1, -value)
			}
		}
		out[j].High = max(out[j].Low, out[j].High)
		out[j].Determined = out[j].High-out[j].Low <= rounding
	}
	a, err := l.weights(ends)
	if err != nil {
		return nil, err
	}
	for j := range out {
		for end := range 2 {
			share, square := l.moments(a, 2*j+end)
			out[j].Errors[end] = root((square - share*share) / f.s.Draws)
		}
	}
	return out, nil
}
