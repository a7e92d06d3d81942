package design

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A localLaw is a mechanism that a level of local differential privacy
// determines. fill sets row[y] = log p(y|x). Logarithms keep ratios where the
// probabilities themselves underflow.
type localLaw struct {
	kind  string
	prior mechanism.Prior
	value [][]float64
	fill  func(level float64, x int, row []float64)
}

// sensitivity is max_y max_{x,k} u'(x,y) - u'(k,y); +Inf where an output is
// forbidden.
func sensitivity(value [][]float64) float64 {
	most := 0.0
	for y := range value[0] {
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range value {
			low, high = min(low, row[y]), max(high, row[y])
		}
		if math.IsInf(low, -1) {
			return math.Inf(1)
		}
		most = max(most, high-low)
	}
	return most
}

// exponential is uniform over the best outputs where there is no noise.
func exponential(value [][]float64, d float64) func(float64, int, []float64) {
	return func(level float64, x int, row []float64) {
		best := slices.Max(value[x])
		scale := level / 2 / d
		if d == 0 {
			scale = math.Inf(1)
		}
		sum := 0.0
		for y, v := range value[x] {
			row[y] = 0
			if v < best {
				row[y] = scale * (v - best)
			}
			sum += math.Exp(row[y])
		}
		log := math.Log(sum)
		for y := range row {
			row[y] -= log
		}
	}
}

func response(best []int, outputs int) func(float64, int, []float64) {
	return func(level float64, x int, row []float64) {
		top := -math.Log1p(float64(outputs-1) * math.Exp(-level))
		for y := range row {
			row[y] = top - level
		}
		row[best[x]] = top
	}
}

// newLaw has room for the law at one level.
func (l localLaw) newLaw() [][]float64 {
	law := make([][]float64, len(l.value))
	for x := range law {
		law[x] = make([]float64, len(l.value[x]))
	}
	return law
}

func (l localLaw) logs(level float64, law [][]float64) {
	for x, row := range law {
		l.fill(level, x, row)
	}
}

// leakage is max_y -log sum_x P_x p_xy / max_k p_ky.
func (l localLaw) leakage(logs [][]float64) float64 {
	top := make([]float64, len(logs[0]))
	for y := range top {
		top[y] = math.Inf(-1)
	}
	for x, row := range logs {
		if l.prior.Count(x) > 0 {
			for y, v := range row {
				top[y] = max(top[y], v)
			}
		}
	}
	short := make([]mechanism.Sum, len(top)) // q_y / max - 1
	below, lack := 0.0, 0.0                  // lack = e^below - 1: randomised response has two values in all
	for x, row := range logs {
		c := l.prior.Count(x)
		if c == 0 {
			continue
		}
		share := float64(c) / float64(l.prior.Total())
		for y, v := range row {
			if d := v - top[y]; d != below {
				below, lack = d, math.Expm1(d)
			}
			short[y].Add(share * lack)
		}
	}
	eps := 0.0
	for y := range top {
		if !math.IsInf(top[y], -1) {
			eps = max(eps, -math.Log1p(short[y].Value()))
		}
	}
	return eps
}

func (l localLaw) at(level float64) Baseline {
	b := Baseline{Kind: l.kind, Level: level, Worst: math.Inf(1), Law: l.newLaw()}
	l.logs(level, b.Law)
	b.PML = l.leakage(b.Law)
	var sum mechanism.Sum
	for x, row := range b.Law {
		share := 0.0
		if l.prior.Total() > 0 {
			share = float64(l.prior.Count(x)) / float64(l.prior.Total())
		}
		for y, v := range row {
			row[y] = math.Exp(v)
			if math.IsInf(v, -1) {
				continue // cannot occur
			}
			b.Worst = min(b.Worst, l.value[x][y])
			switch {
			case share == 0:
			case math.IsInf(l.value[x][y], -1):
				b.Expected = math.Inf(-1)
			default:
				sum.Add(share * row[y] * l.value[x][y])
			}
		}
	}
	b.Expected += sum.Value()
	return b
}

// tune finds a level at which the leakage is epsilon, within rounding from
// below; +Inf where all levels and no noise stay within it. One level and its
// leakage are known.
func (l localLaw) tune(e mechanism.Epsilon, level, pml float64) float64 {
	if math.IsInf(level, 1) {
		return level
	}
	eps := e.Nats()
	law := l.newLaw()
	above := func(level float64) float64 {
		l.logs(level, law)
		return l.leakage(law) - eps
	}
	lo, hi := 0.0, math.Max(1, level)
	under, over := -eps, pml-eps // at lo and at hi
	if level < hi {
		if over <= 0 {
			lo, under = level, over
		}
		over = above(hi)
	}
	for over <= 0 {
		lo, under = hi, over
		if hi *= 2; hi > 0x1p60 {
			if above(math.Inf(1)) <= 0 {
				return math.Inf(1)
			}
			return lo
		}
		over = above(hi)
	}
	// The secant, with the weight of an end that stays halved [Dowell and Jarratt
	// 1971]; within rounding of epsilon there is nothing left to find.
	gap, last := -under, 0 // gap: still to reach at lo; under and over are weights from here on
	for range 100 {
		mid := lo + (hi-lo)*under/(under-over)
		if !(mid > lo && mid < hi) {
			mid = lo + (hi-lo)/2
		}
		if mid <= lo || mid >= hi || gap <= 1e-15*eps {
			break
		}
		if v := above(mid); v <= 0 {
			lo, gap, under = mid, -v, v
			if last < 0 {
				over /= 2
			}
			last = -1
		} else {
			hi, over = mid, v
			if last > 0 {
				under /= 2
			}
			last = 1
		}
	}
	return lo
}
