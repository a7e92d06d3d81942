package figures

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A local is a mechanism of local differential privacy that a level in nats determines,
// +Inf being no noise: it sets row[y] = log p(y|x). Logarithms keep ratios where
// probabilities underflow.
type local func(level float64, values, row []float64)

// exponential is p(y|x) in proportion to exp(level u'(x,y) / 2D), D the largest difference
// that the letter makes to the utility of one output.
func exponential(value [][]float64) local {
	spread := 0.0
	for y := range value[0] {
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range value {
			low, high = min(low, row[y]), max(high, row[y])
		}
		spread = max(spread, high-low)
	}
	return func(level float64, values, row []float64) {
		best, sum := slices.Max(values), 0.0
		for y, v := range values {
			if row[y] = 0; v < best { // without noise all best outputs are equally likely
				row[y] = level / 2 / spread * (v - best)
			}
			sum += math.Exp(row[y])
		}
		for y := range row {
			row[y] -= math.Log(sum)
		}
	}
}

// response is e^level for the best output against 1 for every other.
func response(level float64, values, row []float64) {
	top := -math.Log1p(float64(len(row)-1) * math.Exp(-level))
	for y := range row {
		row[y] = top - level
	}
	row[slices.Index(values, slices.Max(values))] = top
}

// guaranteed is the largest level at which every mechanism is within epsilon: epsilon =
// -log(P + (1 - P) e^-level), P the least probability of a letter [SO, Proposition 6].
func guaranteed(p mechanism.Prior, e mechanism.Epsilon) float64 {
	x, _ := p.Least()
	least := p.Probability(x)
	share, _ := least.Float64()
	if e.Admits(least.Inv(least)) {
		return math.Inf(1)
	}
	return -math.Log1p(max(-1, math.Expm1(-e.Nats())/(1-share)))
}

// at is what it gives at a level.
func (l local) at(level float64, p mechanism.Prior, value [][]float64) Outcome {
	out := Outcome{Worst: math.Inf(1)}
	logs, top := make([][]float64, len(value)), slices.Repeat([]float64{math.Inf(-1)}, len(value[0]))
	share := func(x int) float64 { return float64(p.Count(x)) / float64(p.Total()) }
	for x, values := range value {
		logs[x] = make([]float64, len(values))
		l(level, values, logs[x])
		for y, v := range logs[x] {
			if top[y] = max(top[y], v); !math.IsInf(v, -1) {
				out.Worst = min(out.Worst, values[y])
				out.Mean += share(x) * math.Exp(v) * values[y]
			}
		}
	}
	for y := range top {
		below := 0.0 // q_y / max_x p_xy - 1
		for x := range logs {
			below += share(x) * math.Expm1(logs[x][y]-top[y])
		}
		out.Leakage = max(out.Leakage, -math.Log1p(below))
	}
	return out
}

// tuned is it at a level at which it leaks epsilon, by bisection.
func (l local) tuned(e mechanism.Epsilon, p mechanism.Prior, value [][]float64) Outcome {
	lo, hi := 0.0, 1.0
	for l.at(hi, p, value).Leakage <= e.Nats() {
		if lo, hi = hi, 2*hi; hi > 0x1p60 {
			return l.at(math.Inf(1), p, value)
		}
	}
	for mid := (lo + hi) / 2; lo < mid && mid < hi; mid = (lo + hi) / 2 {
		if l.at(mid, p, value).Leakage <= e.Nats() {
			lo = mid
		} else {
			hi = mid
		}
	}
	return l.at(lo, p, value)
}
