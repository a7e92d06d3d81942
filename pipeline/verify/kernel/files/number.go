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
// written in the one way that it is. Of values of bins the bins know it.
func (t Type) number(label string) (k Key, ok bool) {
	switch {
	case t.Kind >= Timestamp:
		if t.Bins == nil {
			return k, false
		}
		cell, ok := t.Bins.by.Cell(label)
		return t.cell(cell), ok
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

// cell is what a column stores, of a float its bits.
func (t Type) cell(stored *big.Int) (k Key) {
	switch {
	case stored == nil:
	case t.Kind == Decimal:
		k.Bytes = stored.String()
	case t.Kind == Float && t.Bits == 16:
		k.Number = int64(math.Float64bits(half(uint16(stored.Int64()))))
	case t.Kind == Float && t.Bits == 32:
		k.Number = int64(math.Float64bits(float64(math.Float32frombits(uint32(stored.Int64())))))
	default:
		k.Number = stored.Int64()
	}
	return k
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
