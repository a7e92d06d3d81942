package files

import (
	"math"
	"math/big"
	"time"
)

// kinds are what plans call the kinds of numbers.
var kinds = map[Kind]string{Integer: "integer", Date: "date", Timestamp: "timestamp", Float: "float",
	Decimal: "decimal"}

// number is the value that a label names; ok is false where it is not one of the type, or not
// written in the one way that it is.
func (t Type) number(label string) (k Key, ok bool) {
	switch {
	case t.Kind >= Timestamp:
		return k, false
	case t.Kind == Date:
		at, err := time.Parse(time.DateOnly, label)
		return Key{Number: at.Unix() / 86400}, err == nil && at.Format(time.DateOnly) == label
	}
	n, ok := new(big.Int).SetString(label, 10)
	switch {
	case !ok || n.String() != label:
		return k, false
	case t.Unsigned:
		return Key{Number: int64(n.Uint64())}, n.Sign() >= 0 && n.BitLen() <= t.Bits
	}
	return Key{Number: n.Int64()}, n.IsInt64() && n.Int64()>>(t.Bits-1) == n.Int64()>>63
}

// half is the number of 16 bits [IEEE 754, binary16]. arrow-go reads the smallest otherwise.
func half(bits uint16) float64 {
	f, exponent := float64(bits&0x3ff), int(bits>>10&0x1f)
	switch {
	case exponent == 0:
		f = math.Ldexp(f, -24)
	case exponent < 31:
		f = math.Ldexp(1024+f, exponent-25)
	case f == 0:
		f = math.Inf(1)
	default:
		f = math.NaN()
	}
	if bits>>15 != 0 {
		return -f
	}
	return f
}
