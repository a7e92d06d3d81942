package estimate

import "math"

// Numbers are those of a column that is published as it was, over the rows of an output.
type Numbers struct {
	Rows         float64
	Mean, Spread float64 // and the sum of squares about it
}

// Add adds a number [Welford 1962].
func (n *Numbers) Add(v float64) {
	n.Rows++
	off := v - n.Mean
	n.Mean += off / n.Rows
	n.Spread += off * (v - n.Mean)
}

// Merge adds those of other rows [Chan, Golub and LeVeque 1983].
func (n *Numbers) Merge(o Numbers) {
	if o.Rows == 0 {
		return
	}
	all, off := n.Rows+o.Rows, o.Mean-n.Mean
	n.Mean += off * o.Rows / all
	n.Spread += o.Spread + off*off*n.Rows*o.Rows/all
	n.Rows = all
}

// A Mean is that of a number over the rows whose true value is one of some letters.
type Mean struct{ Mean, Error float64 }

// Means estimates them for sets of letters that are Estimable in all parts, each drawn by a mechanism of
// its own and with its own numbers by output. With weights a of outputs, p a = c, and numbers w of
// rows i, a mean is m = sum_i a_yi w_i / sum_i a_yi, to first order of the variance sum_i (a_yi^2 -
// c_xi) (w_i - m)^2 over the square of the denominator; rows of a population are random, too, and there
// c is left out. Means are not numbers where the estimate of the rows is not above 0.
func Means(w Whose, parts []*Linear, numbers [][]Numbers, sets [][]int) ([]Mean, error) {
	out := make([]Mean, len(sets))
	rows, sum, variance := make([]float64, len(sets)), make([]float64, len(sets)), make([]float64, len(sets))
	each := func(f func(j int, a float64, n Numbers, effect float64)) error {
		for g, l := range parts {
			a, err := l.sums(sets)
			if err != nil {
				return err
			}
			for y, n := range numbers[g] {
				for j := range sets {
					f(j, a.At(y, j), n, l.s.rows/l.s.Draws)
				}
			}
		}
		return nil
	}
	err := each(func(j int, a float64, n Numbers, _ float64) {
		rows[j] += a * n.Rows
		sum[j] += a * n.Rows * n.Mean
	})
	if err != nil {
		return nil, err
	}
	for j := range out {
		if out[j].Mean = sum[j] / rows[j]; !(rows[j] > 0) {
			out[j].Mean = math.NaN()
		}
	}
	err = each(func(j int, a float64, n Numbers, effect float64) {
		c := 0.0
		if w == OfFile {
			c = a
		}
		off := n.Mean - out[j].Mean
		variance[j] += effect * (a*a - c) * (n.Spread + n.Rows*off*off)
	})
	for j := range out {
		out[j].Error = root(variance[j]) / rows[j]
	}
	return out, err
}
