package mechanism

import (
	"math"
	"math/big"
	"sync"
)

// natsBits is the precision of Nats, far beyond that of the float64 it gives.
const natsBits = 128

// Enclosures of exp and log. Both are sums of positive terms, so each sum is
// carried twice, once with every operation rounded down and once up
// (math/big rounds correctly); the remainder of the series is added above.

// expEnclosure returns lo <= e^r <= hi for r >= 0, each with prec bits.
//
// With x = r/2^s <= 2^-8 the tail of sum x^k/k! after the term t_k is below
// 2 t_{k+1}; s squarings undo the halvings. TestExpEnclosure.
func expEnclosure(r *big.Rat, prec uint) (lo, hi *big.Float) {
	s := max(0, r.Num().BitLen()-r.Denom().BitLen()+9)
	work := prec + uint(s) + 32
	x := new(big.Rat).Quo(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(s))))
	sum := func(mode big.RoundingMode) *big.Float {
		f := func() *big.Float { return new(big.Float).SetPrec(work).SetMode(mode) }
		y, total, term := f().SetRat(x), f().SetInt64(1), f().SetInt64(1)
		if y.Sign() == 0 {
			return total
		}
		for k := int64(1); ; k++ {
			term.Mul(term, y)
			term.Quo(term, f().SetInt64(k))
			if term.MantExp(nil) < -int(work) {
				break
			}
			total.Add(total, term)
		}
		if mode == big.ToPositiveInf {
			total.Add(total, term.Mul(term, f().SetInt64(2)))
		}
		for range s {
			total.Mul(total, total)
		}
		return total.SetPrec(prec)
	}
	return sum(big.ToNegativeInf), sum(big.ToPositiveInf)
}

// logBound is one side of logEnclosure: mode tells which.
func logBound(f *big.Rat, prec uint, mode big.RoundingMode) *big.Float {
	e := f.Num().BitLen() - f.Denom().BitLen()
	num, den := new(big.Int).Set(f.Num()), new(big.Int).Lsh(f.Denom(), uint(e))
	if num.Cmp(den) < 0 {
		e--
		den.Rsh(den, 1)
	}
	up, down := new(big.Int).Sub(num, den), new(big.Int).Add(num, den)
	total := atanh(up, down, prec, mode)
	if e > 0 {
		two := new(big.Float).SetPrec(prec).SetMode(mode)
		two.Mul(atanh(big.NewInt(1), big.NewInt(3), prec, mode), new(big.Float).SetInt64(int64(e))) // e log 2 / 2
		total.Add(total, two)
	}
	return total.SetMantExp(total, 1)
}

// atanh bounds atanh(a/b) = sum z^(2k+1)/(2k+1), 0 <= z = a/b <= 1/3, from
// below or from above as mode says. The tail is below 9/8 of its first term.
func atanh(a, b *big.Int, prec uint, mode big.RoundingMode) *big.Float {
	other := big.ToPositiveInf
	if mode == big.ToPositiveInf {
		other = big.ToNegativeInf
	}
	f := func() *big.Float { return new(big.Float).SetPrec(prec).SetMode(mode) }
	z := f().Quo(f().SetInt(a), new(big.Float).SetPrec(prec).SetMode(other).SetInt(b))
	if z.Sign() == 0 {
		return z
	}
	total, power, square, term := f().Set(z), f().Set(z), f().Mul(z, z), f()
	for k := 1; ; k++ {
		power.Mul(power, square)
		if prec == natsBits && k <= len(odd(mode)) {
			term.Mul(power, odd(mode)[k-1])
		} else {
			term.Quo(power, f().SetInt64(int64(2*k+1)))
		}
		if term.MantExp(nil) < z.MantExp(nil)-int(prec) {
			if mode == big.ToPositiveInf {
				total.Add(total, term.Mul(term, f().SetInt64(2)))
			}
			return total
		}
		total.Add(total, term)
	}
}

// odd are 1/3, 1/5, ... as bounds for Nats, which would else spend most of its
// time dividing; all that it needs, as z <= 1/3 and 3^-2k falls below natsBits.
func odd(mode big.RoundingMode) []*big.Float {
	if mode == big.ToPositiveInf {
		return oddUp()
	}
	return oddDown()
}

var (
	oddUp   = sync.OnceValue(func() []*big.Float { return oddOf(big.ToPositiveInf) })
	oddDown = sync.OnceValue(func() []*big.Float { return oddOf(big.ToNegativeInf) })
)

func oddOf(mode big.RoundingMode) []*big.Float {
	out := make([]*big.Float, natsBits/3)
	for i := range out {
		one := new(big.Float).SetPrec(natsBits).SetMode(mode).SetInt64(1)
		out[i] = one.Quo(one, big.NewFloat(float64(2*i+3)))
	}
	return out
}

// Nats is log f in nats, rounded toward +Inf: never below the exact value and
// less than one unit in the last place above it, also for f next to 1;
// exactly 0 for f = 1. f must be positive.
func Nats(f *big.Rat) float64 {
	switch f.Cmp(one) {
	case 0:
		return 0
	case -1:
		if f.Sign() <= 0 {
			panic("mechanism: logarithm of a number that is not positive")
		}
		lo := logBound(new(big.Rat).Inv(f), natsBits, big.ToNegativeInf)
		v, side := lo.Float64()
		if side == big.Above {
			v = math.Nextafter(v, 0)
		}
		return -v
	}
	hi := logBound(f, natsBits, big.ToPositiveInf)
	v, side := hi.Float64()
	if side == big.Below {
		v = math.Nextafter(v, math.Inf(1))
	}
	return v
}

var one = big.NewRat(1, 1)
