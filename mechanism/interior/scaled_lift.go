package interior

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// A lift looks for prices b_i of the letters that prove a t to be below the least
// factor. They do where no column of a mechanism is worth its price: with
//
//	K_j = max sum P_i b_i v_i over 0 <= v_i <= t, sum P_i v_i = 1, i in column j,
//
// a mechanism within t has sum P_i b_i <= max K_j. Near that maximum it makes
//
//	F(b) = log sum exp K_j - sum P_i b_i
//
// small, with K_j less soft/2t sum P_i v_i^2, so that the v are v_i = clip((b_i - cut)
// t/soft, 0, t), and the gradient P_i (r_i - 1), r the rows of the mechanism of columns v
// by their shares in the sum, has no jumps. Where t is proven F has no end.
type lift struct {
	*scaled
	memory
	b     []float64
	worth []float64 // K by column
	cut   []float64 // by column
	root  []float64 // sqrt(P_i)
	begun bool
}

const (
	soft      = 3
	liftSteps = 120 // for one t
)

func newLift(s *scaled) *lift {
	l := &lift{scaled: s, b: make([]float64, len(s.Prob)), worth: make([]float64, len(s.Column)),
		cut: make([]float64, len(s.Column)), root: make([]float64, len(s.Prob))}
	for i, p := range s.Prob {
		l.root[i] = math.Sqrt(p)
	}
	return l
}

// climb takes steps at t from prices y_i = P_i b_i, and leaves better ones in b.
func (l *lift) climb(ctx context.Context, t float64, y []float64) {
	for i, p := range l.Prob {
		l.b[i] = y[i] / p
	}
	l.restart()
	n := len(l.b)
	at, gradient, next := make([]float64, n), make([]float64, n), make([]float64, n)
	scales := []float64{1. / 64, 1. / 16, .25, .5, 1, 2, 4, 16, 64, 256}
	if l.begun { // b has about the scale that it needs
		scales = scales[3:6]
	}
	l.begun = true
	value, scale := math.Inf(1), 1.0
	for _, s := range scales {
		if v := l.look(t, floats.ScaleTo(at, s, l.b), gradient); v < value {
			value, scale = v, s
		}
	}
	floats.Scale(scale, l.b)
	value = l.look(t, l.b, gradient)
	for step := 0; step < liftSteps && ctx.Err() == nil; step++ {
		d := l.direction(gradient)
		slope := floats.Dot(d, gradient)
		if !(slope < 0) {
			l.restart()
			d = floats.ScaleTo(d, -1, gradient)
			slope = floats.Dot(d, gradient)
		}
		length := 1.0
		for range 6 {
			for i, v := range d {
				at[i] = l.b[i] + length*v/l.root[i]
			}
			if v := l.look(t, at, next); v <= value+1e-4*length*slope {
				floats.Scale(length, d)
				l.learn(d, floats.SubTo(make([]float64, n), next, gradient))
				value, gradient, next, l.b, at = v, next, gradient, at, l.b
				length = 0
				break
			}
			length /= 3
		}
		if length > 0 && len(l.step) == 0 {
			return
		} else if length > 0 {
			l.restart()
		}
	}
}

// look is F, and its gradient by sqrt(P_i) b_i.
func (l *lift) look(t float64, b, gradient []float64) float64 {
	l.inHalves(func(h, from, to int) {
		for j := from; j < to; j++ {
			l.price(t, b, j, &l.column[h])
		}
	})
	top, sum := floats.Max(l.worth), 0.0
	for _, v := range l.worth {
		sum += math.Exp(v - top)
	}
	l.inHalves(func(h, from, to int) {
		row := l.half[h]
		clear(row)
		for j := from; j < to; j++ {
			share := math.Exp(l.worth[j]-top) / sum
			if !(share > faint) {
				continue
			}
			for _, i := range l.Column[j] {
				row[i] += share * t * min(max(b[i]-l.cut[j], 0)/soft, 1)
			}
		}
	})
	mean := 0.0
	for i, p := range l.Prob {
		mean += p * b[i]
		gradient[i] = l.root[i] * (l.half[0][i] + l.half[1][i] - 1)
	}
	return top + math.Log(sum) - mean
}

// price finds cut and K of column j: sum P_i v_i falls as cut grows, in straight lines.
func (l *lift) price(t float64, b []float64, j int, c *columnOf) {
	if t*l.mass[j] <= 1+flatness {
		l.worth[j] = math.Inf(-1)
		return
	}
	rows := l.Column[j]
	at, p := c.z[:len(rows)], c.p[:len(rows)]
	low, high := math.Inf(1), math.Inf(-1)
	for k, i := range rows {
		at[k], p[k] = b[i], l.Prob[i]
		low, high = min(low, b[i]), max(high, b[i])
	}
	low -= soft // where all v are t
	cut := min(max(l.cut[j], low), high)
	for range 60 {
		sum, slope := 0.0, 0.0
		for k, v := range at {
			switch d := v - cut; {
			case d >= soft:
				sum += p[k]
			case d > 0:
				sum += p[k] * d / soft
				slope += p[k] / soft
			}
		}
		off := sum*t - 1
		if math.Abs(off) < 1e-10 {
			break
		}
		if off > 0 {
			low = cut
		} else {
			high = cut
		}
		if next := cut + off/(slope*t); next > low && next < high {
			cut = next
		} else {
			cut = (low + high) / 2
		}
	}
	worth := 0.0
	for k, v := range at {
		if d := v - cut; d > 0 {
			d = min(d/soft, 1)
			worth += p[k] * t * d * (v - soft/2*d)
		}
	}
	l.cut[j], l.worth[j] = cut, worth
}
