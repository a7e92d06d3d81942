package interior

import (
	"cmp"
	"math"
	"slices"
)

// Shares hold the output law q to given shares pi, in Best: with
//
//	q_j - a_j + b_j = pi_j, a_j, b_j >= 0, q_j = u_j/t
//
// the shift is sum_j a_j. It is kept within Limit, of which r is left,
// sum_j a_j + r = Limit; or it is what is made least, N being the price of one,
// and weights are all 0. The prices of a_j and b_j add up to theta, the price of
// the limit, or to N.
//
// A column gains omega_j/t^2 in the place (u, u) of its block, with
// omega_j = 1/(a/price a + b/price b): the system of the rows keeps its size.
// The limit borders that system by one row.
type Shares struct {
	Share []float64 // pi_j by column, 0 for an output that stands for no letter
	Limit float64
	Least bool
}

// A quota is the state of Shares in a run; arrays are per column. A nil one does
// nothing.
type quota struct {
	Shares
	t float64

	above, below, left pairs // a_j, b_j, and r with theta

	omega, rho, lift []float64 // lift is omega a/da
	short            float64   // what is missing in the sum
	border, answer   []float64 // how rows move with theta, and the system's answer to it
	pivot            float64
}

func newQuota(s *Shares, n int) *quota {
	if s == nil {
		return nil
	}
	h := &quota{Shares: *s, border: make([]float64, n), answer: make([]float64, n)}
	for _, v := range []*[]float64{&h.omega, &h.rho, &h.lift} {
		*v = make([]float64, len(s.Share))
	}
	h.above, h.below, h.left = newPairs(len(s.Share)), newPairs(len(s.Share)), newPairs(1)
	return h
}

// ration puts all shares on the central path of mu for the present u.
func (it *iterate) ration(mu float64) {
	h := it.quota
	if h == nil {
		return
	}
	a, b := &h.above, &h.below
	h.t, h.left.price[0] = it.t, float64(it.n)
	h.left.value[0] = mu / h.left.price[0]
	for _, set := range it.sets() {
		for _, j := range set {
			a.price[j], b.price[j] = split(mu, h.left.price[0], it.u[j]/it.t-h.Share[j])
			a.value[j], b.value[j] = mu/a.price[j], mu/b.price[j]
		}
	}
}

// stiff is what column j gains in the place (u, u) of its block.
func (h *quota) stiff(j int32) float64 {
	if h == nil {
		return 0
	}
	above := h.above.value[j] / h.above.price[j]
	h.omega[j] = 1 / (above + h.below.value[j]/h.below.price[j])
	h.lift[j] = above * h.omega[j]
	return h.omega[j] / (h.t * h.t)
}

// bind forms the border of the factorised system. It reports whether it could.
func (it *iterate) bind() bool {
	h := it.quota
	if h == nil || h.Least {
		return true
	}
	clear(h.border)
	h.pivot = h.left.value[0] / h.left.price[0]
	for _, j := range it.live {
		h.pivot += h.above.value[j] / h.above.price[j] * (1 - h.lift[j])
		e := h.lift[j] / h.t
		h.pivot += e * e * it.a[j] / it.det[j]
		for k, i := range it.Column[j] {
			o := it.off[j] + k
			h.border[i] += it.h[o] * (it.Prob[i]*it.b[j] - it.g[o]*it.a[j]) * e / it.det[j]
		}
	}
	for _, j := range it.flat {
		h.pivot += h.above.value[j] / h.above.price[j] * (1 - h.lift[j])
		e, give := h.lift[j]/h.t, it.give(j)
		h.pivot += e * e * give
		for _, i := range it.Column[j] {
			h.border[i] -= e * give
		}
	}
	copy(h.answer, h.border)
	it.sys.solve(h.answer)
	for i, v := range h.answer {
		h.pivot -= v * h.border[i]
	}
	return h.pivot > 0 && finite(h.pivot)
}

// give is how much a flat column moves with its reduced cost.
func (it *iterate) give(j int32) float64 {
	if it.quota == nil {
		return it.u[j] / it.nu[j]
	}
	return it.u[j] / (it.nu[j] + it.u[j]*it.quota.omega[j]/(it.t*it.t))
}

// yield is the step of a flat column and of its reduced cost, which misses rd
// of what it should be.
func (it *iterate) yield(j int32, rd, theta float64) (du, dd float64) {
	h, u := it.quota, it.u[j]
	if h == nil {
		return (it.ux[j] - u*rd) / it.nu[j], rd
	}
	rd += h.pull(j, u) + h.swing(j, theta)
	w := h.omega[j] / (h.t * h.t)
	du = (it.ux[j] - u*rd) / (it.nu[j] + u*w)
	return du, rd + w*du
}

// pull is what the share of column j adds to the right side k2 of its block, and
// to the reduced cost of a flat one.
func (h *quota) pull(j int32, u float64) float64 {
	if h == nil {
		return 0
	}
	a, b := &h.above, &h.below
	h.rho[j] = b.target[j]/b.price[j] - a.target[j]/a.price[j] - (h.Share[j] - (u/h.t - a.value[j] + b.value[j]))
	return (b.price[j] + h.omega[j]*h.rho[j]) / h.t
}

// swing is what a step in theta adds to k2.
func (h *quota) swing(j int32, theta float64) float64 {
	if h == nil {
		return 0
	}
	return h.lift[j] / h.t * theta
}

// follow fills the step of all shares in from that of u and theta, and returns
// what the limit then misses.
func (it *iterate) follow() float64 {
	h, w := it.quota, &it.way
	if h == nil {
		return 0
	}
	a, b := &h.above, &h.below
	total, step := h.Limit-h.left.value[0], 0.0
	for _, set := range it.sets() {
		for _, j := range set {
			b.dprice[j] = h.omega[j]*(w.u[j]/h.t+h.rho[j]) + h.lift[j]*w.theta
			a.dprice[j] = w.theta - b.dprice[j]
			a.dvalue[j] = (a.target[j] - a.value[j]*a.dprice[j]) / a.price[j]
			b.dvalue[j] = (b.target[j] - b.value[j]*b.dprice[j]) / b.price[j]
			total -= a.value[j]
			step += a.dvalue[j]
		}
	}
	if !h.Least {
		h.left.dprice[0] = w.theta
		h.left.dvalue[0] = (h.left.target[0] - h.left.value[0]*w.theta) / h.left.price[0]
		h.short = total - step - h.left.dvalue[0]
	}
	return math.Abs(h.short)
}

// mend corrects a step by the system's answer fix to what the rows miss, and by
// what the limit does.
func (it *iterate) mend(fix []float64) {
	if h := it.quota; h != nil && !h.Least {
		miss := h.short
		for i, v := range fix {
			miss += h.border[i] * v
		}
		theta := -miss / h.pivot
		it.way.theta += theta
		for i := range fix {
			fix[i] -= h.answer[i] * theta
		}
	}
	for i, v := range fix {
		it.way.y[i] += v
	}
}

// costs are what the shares add to the two objectives.
func (it *iterate) costs() (primal, dual float64) {
	h := it.quota
	if h == nil {
		return 0, 0
	}
	for _, set := range it.sets() {
		for _, j := range set {
			primal += h.above.value[j] * h.left.price[0]
			dual -= h.below.price[j] * h.Share[j]
		}
	}
	if !h.Least {
		return 0, dual - h.left.price[0]*h.Limit
	}
	return primal, dual
}

// toll is the least of c + sum_j pi_j (kappa_j - c)^+ + theta Limit over c and
// theta with kappa_j <= c + theta: what the columns of a law within the limit
// are worth at most, kappa_j being the most of any column of output j. Without
// a limit theta is N and not counted. Without shares toll is the largest kappa.
func (it *iterate) toll(kappa []float64) float64 {
	var used []int32
	most := math.Inf(-1)
	for _, set := range it.sets() {
		used = append(used, set...)
		for _, j := range set {
			most = math.Max(most, kappa[j])
		}
	}
	h := it.quota
	if h == nil {
		return most
	}
	slices.SortFunc(used, func(i, j int32) int { return cmp.Compare(kappa[j], kappa[i]) })
	c := most - float64(it.n)
	if !h.Least {
		mass := h.Limit
		for _, j := range used {
			if c = kappa[j]; mass+h.Share[j] > 1 {
				break
			}
			mass += h.Share[j]
		}
	}
	sum := c
	if !h.Least {
		sum += h.Limit * (most - c)
	}
	for _, j := range used {
		sum += h.Share[j] * math.Max(0, kappa[j]-c)
	}
	return sum
}
