// Package exact has the arithmetic of the checks: e^l(y) as fractions, their
// logarithms between bounds, targets, supports, rows of whole weights. It knows
// no document.
package exact

import (
	"math"
	"math/big"
	"sync"
	"sync/atomic"
)

// natsSlack is how far a logarithm may be rounded up, in nats.
const natsSlack = 1e-9

// Nats reports whether v is log f, f >= 1, rounded up by at most natsSlack.
func Nats(v float64, f *big.Rat) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) || f.Cmp(One) < 0 {
		return false
	}
	hi := upper(f)
	slack, _ := new(big.Float).Sub(new(big.Float).SetFloat64(v), hi).Float64()
	return slack >= 0 && slack <= natsSlack
}

// A logarithm that was computed, rounded up.
type logarithm struct {
	of *big.Rat
	hi *big.Float
}

// lastLogarithm is kept because outputs of one block tell the same, one after another.
var lastLogarithm atomic.Pointer[logarithm]

// upper is above log f, by 2^-112 of it plus 1 at most.
func upper(f *big.Rat) *big.Float {
	if l := lastLogarithm.Load(); l != nil && l.of.Cmp(f) == 0 {
		return l.hi
	}
	_, hi := Log(f, 128)
	lastLogarithm.Store(&logarithm{new(big.Rat).Set(f), hi})
	return hi
}

// One is not to be changed.
var One = big.NewRat(1, 1)

// logTwo is log 2, which nearly every logarithm needs.
var logTwo = sync.OnceValue(func() *big.Float { return series(big.NewRat(2, 1), 512) })

// Log encloses log f, f >= 1, within about 2^(16-prec) of its size plus 1.
//
// f = 2^k m with 1 <= m < 2 and log f = k log 2 + log m, where
// log m = 2 (z + z^3/3 + z^5/5 + ...), z = (m-1)/(m+1) <= 1/3. Partial sums
// lie below, and what is left out is under 9/8 of its first term. Sums are
// rounded to nearest with 64 bits to spare, and a margin of 2^-prec, larger
// than all roundings together, is put on both sides.
func Log(f *big.Rat, prec uint) (lo, hi *big.Float) {
	work := prec + 64
	k := f.Num().BitLen() - f.Denom().BitLen()
	m := new(big.Rat).SetFrac(f.Num(), new(big.Int).Lsh(f.Denom(), uint(max(k, 0))))
	if m.Cmp(One) < 0 {
		k--
		m.Mul(m, big.NewRat(2, 1))
	}
	total := series(m, work)
	if k > 0 {
		two := logTwo()
		if two.Prec() < work {
			two = series(big.NewRat(2, 1), work)
		}
		total.Add(total, new(big.Float).Mul(two, big.NewFloat(float64(k))))
	}
	if total.Sign() == 0 {
		return total, total
	}
	margin := new(big.Float).SetMantExp(big.NewFloat(1), 16-int(prec))
	margin.Mul(margin, new(big.Float).Add(total, big.NewFloat(1)))
	return new(big.Float).Sub(total, margin), new(big.Float).Add(total, margin)
}

// series is log m for 1 <= m <= 2.
func series(m *big.Rat, work uint) *big.Float {
	float := func() *big.Float { return new(big.Float).SetPrec(work) }
	z := float().SetRat(new(big.Rat).Quo(new(big.Rat).Sub(m, One), new(big.Rat).Add(m, One)))
	sum, power, square := float().Set(z), float().Set(z), float().Mul(z, z)
	term, divisor := float(), float()
	for i := int64(3); power.Sign() != 0; i += 2 {
		power.Mul(power, square)
		if term.Quo(power, divisor.SetInt64(i)).MantExp(nil) < -int(work) {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Mul(sum, float().SetInt64(2))
}
