package optimum

import (
	"math"
	"math/big"
	"slices"
)

// fractionCells is the most cells at which a bracket that is narrow enough is
// searched for a fraction.
const fractionCells = 30_000

// fractionWork bounds the search for weights that prove a fraction, in cells looked at.
const fractionWork = 300_000

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

// prove claims the row duals by record, rounded to small fractions of the largest,
// until they prove t.
func (l *leastSearch) prove(t *big.Rat, y []float64, b *program) {
	rho := perRecord(y, l.joint)
	top := slices.Max(rho)
	if most := int64(fractionWork / (l.Cells() + len(l.Letter))); top > 0 && l.Prior.Total() < 1<<50 {
		for scale := int64(1); scale <= min(64, most) && l.lower.Cmp(t) < 0; scale++ {
			weight := make([]int64, l.Prior.Letters())
			for i, x := range l.Letter {
				weight[x] = int64(math.Round(rho[b.row[i]]/top*float64(scale))) * l.Count[i]
			}
			l.claim(weight)
		}
	}
}
