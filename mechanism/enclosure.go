package mechanism

import (
	"math"
	"math/big"
)

// expBound bounds e^r for r >= 0 from below or from above, as mode says, with prec bits. It is
// a sum of positive terms, with every operation rounded to that side (math/big rounds
// correctly); the remainder of the series is added to an upper bound.
//
// With x = r/2^s <= 2^-8 the tail of sum x^k/k! after the term t_k is below
// 2 t_{k+1}; s squarings undo the halvings. TestExpBound.
func expBound(r *big.Rat, prec uint, mode big.RoundingMode) *big.Rat {
	s := max(0, r.Num().BitLen()-r.Denom().BitLen()+9)
	work := prec + uint(s) + 32
	real := func() *big.Float { return new(big.Float).SetPrec(work).SetMode(mode) }
	x := new(big.Rat).Quo(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(s))))
	y, total, term := real().SetRat(x), real().SetInt64(1), real().SetInt64(1)
	for k := int64(1); y.Sign() > 0; k++ {
		term.Mul(term, y)
		term.Quo(term, real().SetInt64(k))
		if term.MantExp(nil) < -int(work) {
			if mode == big.ToPositiveInf {
				total.Add(total, term.Mul(term, real().SetInt64(2)))
			}
			break
		}
		total.Add(total, term)
	}
	for range s {
		total.Mul(total, total)
	}
	v, _ := total.SetPrec(prec).Rat(nil)
	return v
}

// reaches reports whether e^r >= f for r >= 0 and f > 1, exactly. A power of e to a
// rational other than 0 is never rational [Lindemann], so enclosing e^r ever more
// tightly always decides.
func reaches(r, f *big.Rat) bool {
	for prec := uint(128); ; prec *= 2 {
		if f.Cmp(expBound(r, prec, big.ToNegativeInf)) <= 0 {
			return true
		}
		if f.Cmp(expBound(r, prec, big.ToPositiveInf)) > 0 {
			return false
		}
	}
}

// Nats is log f in nats, rounded toward +Inf: the least float64 that is not below it,
// also for f next to 1; exactly 0 for f = 1. f must be positive.
func Nats(f *big.Rat) float64 {
	switch f.Cmp(one) {
	case 0:
		return 0
	case -1:
		if f.Sign() <= 0 {
			panic("mechanism: logarithm of a number that is not positive")
		}
		return 0 - math.Nextafter(Nats(new(big.Rat).Inv(f)), 0)
	}
	v, enough := nearLog(f), func(v float64) bool { return reaches(new(big.Rat).SetFloat64(v), f) }
	if !enough(v) {
		for v = math.Nextafter(v, math.Inf(1)); !enough(v); v = math.Nextafter(v, math.Inf(1)) {
		}
		return v
	}
	for less := math.Nextafter(v, 0); enough(less); less = math.Nextafter(v, 0) {
		v = less
	}
	return v
}

// nearLog is log f for f > 1 to a few units in the last place.
func nearLog(f *big.Rat) float64 {
	if above, _ := new(big.Rat).Sub(f, one).Float64(); !math.IsInf(above, 1) {
		return math.Log1p(above)
	}
	part := new(big.Float)
	exponent := new(big.Float).SetRat(f).MantExp(part)
	v, _ := part.Float64()
	return math.Log(v) + float64(exponent)*math.Ln2
}

var one = big.NewRat(1, 1)
