package round

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/pattern"
)

// fractionWork bounds the search for exact fractions, in cells looked at.
const fractionWork = 300_000

// Denominators are the integers tried as common denominators: small ones,
// highly composite ones and multiples of the number of records.
func Denominators(t *pattern.Pattern) []int64 {
	n := t.Prior.Total()
	room := fractionWork / max(1, t.Cells()+len(t.Letter))
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

// Between is the fraction of least denominator in [lo, hi], 0 < lo <= hi, by
// continued fractions.
func Between(lo, hi *big.Rat) *big.Rat {
	whole := new(big.Int).Quo(lo.Num(), lo.Denom())
	floor := new(big.Rat).SetInt(whole)
	if floor.Cmp(lo) == 0 {
		return floor
	}
	if next := new(big.Rat).Add(floor, one); next.Cmp(hi) <= 0 {
		return next
	}
	a, b := new(big.Rat).Sub(lo, floor), new(big.Rat).Sub(hi, floor)
	in := Between(b.Inv(b), a.Inv(a))
	return in.Add(floor, in.Inv(in))
}

var one = big.NewRat(1, 1)
