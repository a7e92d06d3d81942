package mechanism

import (
	"math"
	"math/big"
	"math/bits"
)

// Work of the search for exact fractions, in cells looked at.
const fractionWork = 300_000

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
	if l.upper.Cmp(t) > 0 {
		l.reach(d, t)
	}
	if l.lower.Cmp(t) < 0 && y != nil {
		l.prove(t, y, r)
	}
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

// prove claims small integer weights near the duals that prove t.
func (l *leastSearch) prove(t *big.Rat, y []float64, r reduction) {
	top, low := 0.0, math.Inf(1)
	rho := make([]float64, len(y))
	for g, v := range y {
		rho[g] = v / float64(r.joint[g])
		low = math.Min(low, rho[g])
	}
	for _, shift := range []float64{low, 0} { // duals are known up to a multiple of P
		value := make([]float64, len(y))
		top = 0
		for g := range y {
			value[g] = (rho[g] - shift) * float64(r.joint[g])
			top = math.Max(top, value[g])
		}
		for _, scale := range l.denominators() {
			weight := make([]int64, l.prior.Letters())
			placed := make([]bool, len(y))
			for i, x := range l.letter {
				// A group of equal rows is as good as one of its letters with
				// all the weight only if that is how the duals split: by count.
				g := r.group[i]
				if r.joint[g] == l.count[i] {
					weight[x] = int64(math.Round(value[g] / top * float64(scale)))
				} else if hi, lo := bits.Mul64(uint64(math.Round(value[g]/top*float64(scale))), uint64(l.count[i])); hi == 0 && lo < 1<<50 {
					weight[x] = int64(lo)
				}
				placed[g] = true
			}
			l.claim(weight)
			if l.lower.Cmp(t) >= 0 {
				return
			}
		}
		if low == 0 {
			return
		}
	}
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
