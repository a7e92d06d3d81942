package mechanism

import (
	"math"
	"math/big"
	"math/bits"
)

// Work of the search for exact fractions, in cells looked at, and the most
// cells at which a bracket that is narrow enough is searched for one.
const (
	fractionWork  = 300_000
	fractionCells = 30_000
)

// recover tries to close the bracket at the simplest fraction in it: optima
// of small problems are fractions such as 7/2, which rounding only
// approaches. Both sides are decided by the same exact checks as everything
// else, so a wrong guess costs time and nothing else.
func (l *leastSearch) recover(d draft, y []float64, r reduction) {
	if l.closed() {
		return
	}
	t := l.upper
	if l.gap() < 1e-6 {
		t = between(l.lower, l.upper)
	}
	if t.Denom().BitLen() > 60 || t.Num().BitLen() > 60 {
		return
	}
	if l.gap() <= l.opt.Gap && (l.cells() > fractionCells || !l.striking(t)) {
		return
	}
	if l.upper.Cmp(t) > 0 {
		l.reach(d, t)
	}
	if l.lower.Cmp(t) < 0 && y != nil {
		l.prove(t, y, r)
	}
}

// striking reports whether t is no fraction that any bracket as narrow as
// this one has: some fraction of denominator 1/sqrt(width) lies in every one.
func (l *leastSearch) striking(t *big.Rat) bool {
	const odds = 1e-3
	width, _ := new(big.Rat).Sub(l.upper, l.lower).Float64()
	d, _ := new(big.Float).SetInt(t.Denom()).Float64()
	_, level := l.level(t)
	return d*d*width < odds || level
}

// reach offers mechanisms of factor exactly t: columns with P(S_y) = 1/t kept
// level in a table, and integral flows for simple output laws.
func (l *leastSearch) reach(d draft, t *big.Rat) {
	if level, any := l.level(t); any {
		for _, k := range totals {
			if l.offer(d.table(k, level, nil)); l.upper.Cmp(t) <= 0 {
				return
			}
		}
	}
	q := d.law()
	for _, total := range l.denominators() {
		if l.offer(d.snapped(total, nil)); l.upper.Cmp(t) <= 0 {
			return
		}
		if g := snapLaw(q, total); g != nil {
			if l.offer(l.flow(g, t)); l.upper.Cmp(t) <= 0 {
				return
			}
		}
	}
	l.offer(d.exact(t, nil))
}

// level marks the outputs with P(S_y) = 1/t.
func (t *pattern) level(f *big.Rat) (level []bool, any bool) {
	level = make([]bool, len(t.mass))
	for y, mass := range t.mass {
		level[y] = mass > 0 && new(big.Rat).SetFrac64(t.prior.Total(), mass).Cmp(f) == 0
		any = any || level[y]
	}
	return level, any
}

// prove claims small integer weights near the duals that prove t. Duals are
// known up to a multiple of the prior, so both the duals as they are and the
// duals less as much of it as possible are rounded.
func (l *leastSearch) prove(t *big.Rat, y []float64, r reduction) {
	low := math.Inf(1)
	for g, v := range y {
		low = math.Min(low, v/float64(r.joint[g]))
	}
	for _, shift := range []float64{low, 0} {
		value := make([]float64, len(y))
		top := 0.0
		for g, v := range y {
			value[g] = v - shift*float64(r.joint[g])
			top = math.Max(top, value[g])
		}
		if !(top > 0) {
			continue
		}
		for _, scale := range l.denominators() {
			weight, ok := l.split(value, top, scale, r)
			if !ok {
				break
			}
			l.claim(weight)
			if l.lower.Cmp(t) >= 0 {
				return
			}
		}
	}
}

// split rounds value/top to multiples of 1/scale and gives the letters of a
// joint row shares in proportion to their counts, as the prior does. ok is
// false when the weights get too large.
func (t *pattern) split(value []float64, top float64, scale int64, r reduction) (weight []int64, ok bool) {
	common := int64(1) // all weights are multiplied by the least common multiple of the joint counts
	alone := make([]bool, len(value))
	for i := range t.letter {
		alone[r.group[i]] = r.joint[r.group[i]] == t.count[i]
	}
	for g, single := range alone {
		if single {
			continue
		}
		a, b := common, r.joint[g]
		for b != 0 {
			a, b = b, a%b
		}
		hi, lo := bits.Mul64(uint64(common/a), uint64(r.joint[g]))
		if hi != 0 || lo > 1<<50 {
			return nil, false
		}
		common = int64(lo)
	}
	weight = make([]int64, t.prior.Letters())
	sum := 0.0
	for i, x := range t.letter {
		g := r.group[i]
		v := int64(math.Round(value[g] / top * float64(scale)))
		sum += float64(v) * float64(common)
		if sum > 1<<61 {
			return nil, false
		}
		if alone[g] {
			weight[x] = v * common
		} else {
			weight[x] = v * (common / r.joint[g]) * t.count[i]
		}
	}
	return weight, true
}

// denominators are the integers tried as common denominators: small ones,
// highly composite ones and multiples of the number of records.
func (t *pattern) denominators() []int64 {
	n := t.prior.Total()
	room := fractionWork / max(1, t.cells()+len(t.letter))
	var list []int64
	for k := int64(1); k <= 64; k++ {
		list = append(list, k)
	}
	list = append(list, 72, 84, 90, 96, 120, 180, 240, 360, 420, 720, 840, 1260, 2520, 5040, 27720)
	for _, k := range []int64{1, 2, 3, 4, 6, 12} {
		if n <= math.MaxInt64/2/n/k && n < 1<<40 {
			list = append(list, k*n)
		}
	}
	return list[:min(len(list), room)]
}

// law is the output law of the draft.
func (d draft) law() []float64 {
	q := make([]float64, len(d.cell))
	for y, cell := range d.cell {
		for k, v := range cell {
			q[y] += v * float64(d.count[d.column[y][k]])
		}
		q[y] /= float64(d.prior.Total())
	}
	return q
}

// snapLaw rounds q to multiples of 1/total with sum 1; nil when they do not
// add up.
func snapLaw(q []float64, total int64) []int64 {
	g := make([]int64, len(q))
	sum := int64(0)
	for y, v := range q {
		g[y] = int64(math.Round(v * float64(total)))
		sum += g[y]
	}
	if sum != total {
		return nil
	}
	return g
}

// between is the fraction of least denominator in [lo, hi], 0 < lo <= hi, by
// continued fractions.
func between(lo, hi *big.Rat) *big.Rat {
	whole := new(big.Int).Quo(lo.Num(), lo.Denom())
	floor := new(big.Rat).SetInt(whole)
	if floor.Cmp(lo) == 0 {
		return floor
	}
	if next := new(big.Rat).Add(floor, one); next.Cmp(hi) <= 0 {
		return next
	}
	a, b := new(big.Rat).Sub(lo, floor), new(big.Rat).Sub(hi, floor)
	in := between(b.Inv(b), a.Inv(a))
	return in.Add(floor, in.Inv(in))
}
