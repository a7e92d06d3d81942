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

// ratio is max_ij p_ij/q_j after rows are divided by their sums, over the columns in use.
func (it *iterate) ratio() (t float64) {
	sum := it.rhs
	it.sums(sum)
	for which, set := range [][]int32{it.live, it.flat} {
		for _, j := range set {
			var q, peak float64
			for k, i := range it.Column[j] {
				v := it.u[j]
				if which == 0 {
					v = it.p[it.off[j]+k]
				}
				v /= sum[i]
				q += it.Prob[i] * v
				peak = math.Max(peak, v)
			}
			if q > 0 {
				t = math.Max(t, peak/q)
			}
		}
	}
	return t
}

// value is p_ij of the k-th row of a column in use.
func (it *iterate) value(j int32, k int) float64 {
	if it.isFlat(j) {
		return it.u[j]
	}
	return it.p[it.off[j]+k]
}

func (it *iterate) isFlat(j int32) bool {
	_, ok := slices.BinarySearch(it.flat, j)
	return ok
}

// extract copies the columns in use, rows divided by their sums.
func (it *iterate) extract() [][]float64 {
	sum := it.rhs
	it.sums(sum)
	out := make([][]float64, len(it.Column))
	left := make([]float64, it.n)
	for _, set := range [][]int32{it.live, it.flat} {
		for _, j := range set {
			q := 0.0
			for k, i := range it.Column[j] {
				q += it.Prob[i] * it.value(j, k) / sum[i]
			}
			if !(q > 0) {
				continue
			}
			col := make([]float64, len(it.Column[j]))
			for k, i := range it.Column[j] {
				col[k] = it.value(j, k)
				left[i] += col[k]
			}
			out[j] = col
		}
	}
	for j, col := range out {
		for k := range col {
			col[k] /= left[it.Column[j][k]]
			if !finite(col[k]) {
				return nil
			}
		}
	}
	return out
}
