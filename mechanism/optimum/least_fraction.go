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
func (s *search) recover(d Draft, y []float64, b *program, gap float64) {
	if s.closed() {
		return
	}
	t := s.Upper
	if s.open() < 1e-6 {
		t = Simplest(s.Lower, s.Upper)
	}
	if t.Denom().BitLen() > 60 || t.Num().BitLen() > 60 {
		return
	}
	if s.open() <= gap && (s.Cells() > fractionCells || !s.striking(t)) {
		return
	}
	if s.Upper.Cmp(t) > 0 {
		s.offer(d.Exact(t))
	}
	if s.Lower.Cmp(t) < 0 && y != nil {
		s.simple(t, y, b)
	}
}

// striking reports whether t is no fraction that any bracket as narrow as
// this one has: some fraction of denominator 1/sqrt(width) lies in every one.
func (s *search) striking(t *big.Rat) bool {
	const odds = 1e-3
	width, _ := new(big.Rat).Sub(s.Upper, s.Lower).Float64()
	d, _ := new(big.Float).SetInt(t.Denom()).Float64()
	return d*d*width < odds || slices.ContainsFunc(s.Mass, func(mass int64) bool {
		return mass > 0 && big.NewRat(s.Prior.Total(), mass).Cmp(t) == 0
	})
}

// simple claims the row duals by record, rounded to small fractions of the largest,
// until they prove t.
func (s *search) simple(t *big.Rat, y []float64, b *program) {
	rho := perRecord(y, b.joint)
	top := slices.Max(rho)
	if most := int64(fractionWork / (s.Cells() + len(s.Letter))); top > 0 && s.Prior.Total() < 1<<50 {
		for scale := int64(1); scale <= min(64, most) && s.Lower.Cmp(t) < 0; scale++ {
			weight := make([]int64, s.Prior.Letters())
			for i, x := range s.Letter {
				weight[x] = int64(math.Round(rho[b.row[i]]/top*float64(scale))) * s.Count[i]
			}
			s.claim(weight)
		}
	}
}
