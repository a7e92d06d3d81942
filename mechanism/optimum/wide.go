package optimum

import (
	"cmp"
	"math/big"
	"math/bits"
)

// wide is an unsigned 128-bit integer.
type wide struct{ hi, lo uint64 }

func product(a, b int64) wide {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return wide{hi, lo}
}

func (a wide) less(b wide) bool { return a.compare(b) < 0 }

func (a wide) compare(b wide) int { return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo)) }

// minus is a - b for a >= b.
func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

// float is a with a relative error below 2^-52.
func (a wide) float() float64 { return float64(a.hi)*0x1p64 + float64(a.lo) }

func (a wide) big() *big.Int {
	v := new(big.Int).SetUint64(a.hi)
	return v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(a.lo))
}
