package interior

import (
	"context"
	"math"
)

// A best is one run of Best.
type best struct {
	*iterate
	score        float64
	kappa        []float64 // by column, the most of any lift
	keepP, keepU []float64
	keepY        []float64
}

// Best looks for the mechanism of largest expected utility sum_i P_i sum_j
// p_ij w_ij among those with p_ij <= t q_j, w given by column like
// Problem.Column. Columns listed in flat keep p_ij = q_j/P(S_j) whatever t
// is; of the others those with t P(S_j) above 1 are used. Y of the proposal
// are numbers A_i in the unit of w that bound the utility by
//
//	sum_i P_i A_i + max_j max { sum_i P_i (w_ij - A_i) v_i : P.v = 1, 0 <= v <= t on S_j }.
func Best(ctx context.Context, pr Problem, t float64, flat []bool, w [][]float64, opt Options) Proposal {
	b := &best{iterate: newIterate(pr, false), score: math.Inf(1), kappa: make([]float64, len(pr.Column))}
	b.t, b.quota = t, newQuota(opt.Shares, b.n)
	var live, level []int32
	top, low := math.Inf(-1), math.Inf(1)
	for j, m := range b.mass {
		switch {
		case flat[j]:
			level = append(level, int32(j))
		case t*m-1 > flatness:
			live = append(live, int32(j))
		default:
			continue
		}
		for _, v := range w[j] {
			top, low = math.Max(top, v), math.Min(low, v)
		}
	}
	if !finite(top, low) {
		return Proposal{}
	}
	scale, cells := 0.0, 0.0
	for _, set := range [][]int32{live, level} {
		for _, j := range set {
			for k, v := range w[j] {
				c := pr.Prob[pr.Column[j][k]] * (top - v)
				b.cost[b.off[j]+k] = c
				scale += c
				cells++
			}
		}
	}
	scale /= cells
	if !(scale > 0) {
		scale = 1
	}
	for k := range b.cost {
		b.cost[k] /= scale
	}
	if b.quota != nil && b.quota.Least {
		scale = 1 / float64(b.n)
	}
	b.use(live, level)
	var out Proposal
	p0 := b.size() // y is 0, mu of the size of a cell
	b.equal(p0)
	b.ration(p0)
	b.run(ctx)
	if math.IsInf(b.score, 1) {
		return out
	}
	copy(b.p, b.keepP)
	copy(b.u, b.keepU)
	out.P, _ = b.extract()
	out.Y = make([]float64, b.n)
	for i, y := range b.keepY {
		out.Y[i] = top - scale*y/pr.Prob[i]
	}
	if !finite(out.Y...) {
		out.Y = nil
	}
	return out
}

func (b *best) run(ctx context.Context) {
	const gap, most = 1e-9, 120
	slow := 0
	for steps := 0; steps < most && slow < 5 && ctx.Err() == nil; steps++ {
		mu, row := b.measure()
		if !(mu > 0) || !finite(mu, row) || b.judge(row) <= gap || mu < 1e-24 {
			return
		}
		ap, ad, ok := b.step(mu)
		if !ok {
			return
		}
		if slow++; max(ap, ad) >= 0.02 {
			slow = 0
		}
	}
}

// judge keeps the point when it is the best so far and returns its score: the
// row residual and the gap of the objectives, the cells costing 1 on average.
// Near the end the dual objective is replaced by what y alone proves, since
// the residuals of the other duals do not matter then.
func (b *best) judge(row float64) float64 {
	primal := 0.0
	for which, set := range b.sets() {
		for _, j := range set {
			for k := b.off[j]; k < b.off[j+1]; k++ {
				if which == 0 {
					primal += b.cost[k] * b.p[k]
				} else {
					primal += b.cost[k] * b.u[j]
				}
			}
		}
	}
	proven := 0.0
	for _, y := range b.y {
		proven += y
	}
	above, dual := b.costs()
	primal, dual = primal+above, dual+proven
	score := math.Abs(primal-dual)/(1+math.Abs(primal)) + row
	if score < 1e-4 {
		score = math.Abs(primal-proven+b.knapsack())/(1+math.Abs(primal)) + row
	} else {
		score += 1e-4
	}
	if score < b.score {
		b.score = score
		b.keepP = append(b.keepP[:0], b.p...)
		b.keepU = append(b.keepU[:0], b.u...)
		b.keepY = append(b.keepY[:0], b.y...)
	}
	return score
}

// knapsack is max_j max { sum_i (y_i - c_ij) v_i : P.v = 1, 0 <= v <= t on
// S_j }, or the toll of these maxima; sum y less this is a lower bound of the cost
// for any y.
func (b *best) knapsack() float64 {
	b.halves(func(_ int, cols []int32, _ []float64) {
		var items []Item[float64]
		for _, j := range cols {
			items = items[:0]
			for k, i := range b.Column[j] {
				p := b.Prob[i]
				items = append(items, Item[float64]{(b.y[i] - b.cost[b.off[j]+k]) / p, p})
			}
			Greedy(items)
			sum, left := 0.0, 1.0
			for _, v := range items {
				w := math.Min(left, b.t*v.Mass)
				sum += w * v.Gain
				if left -= w; left <= 0 {
					break
				}
			}
			b.kappa[j] = sum
		}
	})
	for _, j := range b.flat {
		sum := 0.0
		for k, i := range b.Column[j] {
			sum += b.y[i] - b.cost[b.off[j]+k]
		}
		b.kappa[j] = sum / b.mass[j]
	}
	return b.toll(b.kappa)
}
