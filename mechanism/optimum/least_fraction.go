package optimum

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// fractionCells is the most cells at which a bracket that is narrow enough is
// searched for a fraction.
const fractionCells = 30_000

// recover tries to close the bracket at the simplest fraction in it: optima
// of small problems are fractions such as 7/2, which rounding only
// approaches. Both sides are decided by the same exact checks as everything
// else, so a wrong guess costs time and nothing else.
func (l *leastSearch) recover(d Draft, y []float64, b *program) {
	if l.closed() {
		return
	}
	t := l.upper
	if l.gap() < 1e-6 {
		t = Simplest(l.lower, l.upper)
	}
	if t.Denom().BitLen() > 60 || t.Num().BitLen() > 60 {
		return
	}
	if l.gap() <= l.opt.Gap && (l.Cells() > fractionCells || !l.striking(t)) {
		return
	}
	if l.upper.Cmp(t) > 0 {
		l.offer(d.Exact(t, nil))
	}
	if l.lower.Cmp(t) < 0 && y != nil {
		l.prove(t, y, b)
	}
}

// striking reports whether t is no fraction that any bracket as narrow as
// this one has: some fraction of denominator 1/sqrt(width) lies in every one.
func (l *leastSearch) striking(t *big.Rat) bool {
	const odds = 1e-3
	width, _ := new(big.Rat).Sub(l.upper, l.lower).Float64()
	d, _ := new(big.Float).SetInt(t.Denom()).Float64()
	return d*d*width < odds || slices.ContainsFunc(l.Mass, func(mass int64) bool {
		return mass > 0 && big.NewRat(l.Prior.Total(), mass).Cmp(t) == 0
	})
}

// prove claims small integer weights near the duals that prove t. Duals are known up to a
// multiple of the prior: as much of it as possible is taken off.
func (l *leastSearch) prove(t *big.Rat, y []float64, b *program) {
	low, top := math.Inf(1), 0.0
	for g, v := range y {
		low = math.Min(low, v/float64(l.joint[g]))
	}
	value := make([]float64, len(y))
	for g, v := range y {
		value[g] = v - low*float64(l.joint[g])
		top = math.Max(top, value[g])
	}
	if !(top > 0) {
		return
	}
	for _, scale := range Denominators(l.Pattern) {
		weight, ok := l.split(value, top, scale, b)
		if !ok {
			return
		}
		if l.claim(weight); l.lower.Cmp(t) >= 0 {
			return
		}
	}
}

// split rounds value/top to multiples of 1/scale and gives the letters of a
// joint row shares in proportion to their counts, as the prior does. ok is
// false when the weights get too large.
func (l *leastSearch) split(value []float64, top float64, scale int64, b *program) (weight []int64, ok bool) {
	common := int64(1) // all weights are multiplied by the least common multiple of the joint counts
	alone := make([]bool, len(value))
	for i := range l.Letter {
		alone[b.row[i]] = l.joint[b.row[i]] == l.Count[i]
	}
	for g, single := range alone {
		if single {
			continue
		}
		a, b := common, l.joint[g]
		for b != 0 {
			a, b = b, a%b
		}
		hi, lo := bits.Mul64(uint64(common/a), uint64(l.joint[g]))
		if hi != 0 || lo > 1<<50 {
			return nil, false
		}
		common = int64(lo)
	}
	weight = make([]int64, l.Prior.Letters())
	sum := 0.0
	for i, x := range l.Letter {
		g := b.row[i]
		v := int64(math.Round(value[g] / top * float64(scale)))
		sum += float64(v) * float64(common)
		if sum > 1<<61 {
			return nil, false
		}
		if alone[g] {
			weight[x] = v * common
		} else {
			weight[x] = v * (common / l.joint[g]) * l.Count[i]
		}
	}
	return weight, true
}
