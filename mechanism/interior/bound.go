package interior

import (
	"math"
	"slices"
)

// newton is the lower bound on t that row duals y >= 0 prove, over all
// columns, and over the live ones alone. For t P(S_j) > 1 the lift vectors v
// of column j satisfy P.v = 1, 0 <= v <= t; t is impossible when y.v < sum y
// for all of them. The largest y.v is a fractional knapsack: take the rows by
// falling y_i/P_i; with prefix sums C of P and Pi of y it crosses Y = sum y
// at t_j = (Y - rho_f)/(Pi - rho_f C), f the first row with Pi < Y C.
type newton struct {
	by       [][]int32
	mass     []float64
	order    []int32
	rho      []float64
	c, pi    []float64
	done     []bool
	all, own float64
}

func newNewton(by [][]int32, mass []float64) *newton {
	n, m := len(by), len(mass)
	w := &newton{by: by, mass: mass, order: make([]int32, n), rho: make([]float64, n),
		c: make([]float64, m), pi: make([]float64, m), done: make([]bool, m)}
	for i := range w.order {
		w.order[i] = int32(i)
	}
	return w
}

// bound sets all and own. A column is live at t when t P(S_j) >= 1.
func (w *newton) bound(y, prob []float64, t float64) {
	w.all, w.own = 1, 1
	least := math.Inf(1)
	for i, v := range y {
		w.rho[i] = v / prob[i]
		least = math.Min(least, w.rho[i])
	}
	sum := 0.0
	for i := range y {
		w.rho[i] -= least
		sum += w.rho[i] * prob[i]
	}
	if !finite(sum) || sum <= 0 {
		return
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		switch {
		case w.rho[a] > w.rho[b]:
			return -1
		case w.rho[a] < w.rho[b]:
			return 1
		}
		return int(a - b)
	})
	clear(w.c)
	clear(w.pi)
	clear(w.done)
	all, own := math.Inf(1), math.Inf(1)
	for _, i := range w.order {
		rho, p := w.rho[i], prob[i]
		for _, j := range w.by[i] {
			if w.done[j] {
				continue
			}
			first := w.c[j] == 0
			w.c[j] += p
			w.pi[j] += rho * p
			if w.pi[j] < sum*w.c[j] {
				w.done[j] = true
				if !first {
					v := (sum - rho) / (w.pi[j] - rho*w.c[j])
					all = math.Min(all, v)
					if t*w.mass[j] >= 1-flatness {
						own = math.Min(own, v)
					}
				}
			}
		}
	}
	for j, done := range w.done {
		if !done {
			v := 1 / w.mass[j]
			all = math.Min(all, v)
			if t*w.mass[j] >= 1-flatness {
				own = math.Min(own, v)
			}
		}
	}
	if finite(all) {
		w.all = math.Max(1, all)
	}
	w.own = math.Max(1, own)
}

// extract copies the columns in use, rows divided by their sums, and has their ratio
// max_ij p_ij/q_j. It is nil where floats make no mechanism of them.
func (it *iterate) extract() (out [][]float64, ratio float64) {
	out = make([][]float64, len(it.Column))
	sum := it.rhs
	clear(sum)
	for which, set := range it.sets() {
		for _, j := range set {
			col := slices.Repeat([]float64{it.u[j]}, len(it.Column[j]))
			if which == 0 {
				copy(col, it.p[it.off[j]:])
			}
			if !(slices.Max(col) > 0) {
				continue
			}
			for k, i := range it.Column[j] {
				sum[i] += col[k]
			}
			out[j] = col
		}
	}
	for j, col := range out {
		var q, peak float64
		for k, i := range it.Column[j][:len(col)] {
			col[k] /= sum[i]
			q += it.Prob[i] * col[k]
			peak = math.Max(peak, col[k])
		}
		if !finite(q) {
			return nil, 0
		}
		if q > 0 {
			ratio = math.Max(ratio, peak/q)
		}
	}
	return out, ratio
}
