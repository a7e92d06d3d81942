package table

import (
	"math"
	"math/big"
)

// A float has a key: its bits, and of a negative one those of its opposite with a minus.
// Keys are ordered as floats are, and zeros have one.

// float is the number of a cell of t.Bits bits.
func (t CellType) float(bits int64) float64 {
	switch t.Bits {
	case 16:
		return Half(uint16(bits))
	case 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(uint64(bits))
}

// keyed is the number of a key.
func (t CellType) keyed(key int64) float64 {
	if key < 0 {
		return -t.float(-key)
	}
	return t.float(key)
}

// infinity is the greatest key.
func (t CellType) infinity() int64 {
	return map[int]int64{16: 0x7c00, 32: 0x7f800000, 64: 0x7ff0 << 48}[t.Bits]
}

// nearestFloat is the cell of the float nearest to v in the bin from..to, whose open ends
// are nil; of two as near it is the upper one. ok is false where no float lies in the bin.
func (t CellType) nearestFloat(v, from, to *big.Rat) (cell *big.Int, ok bool) {
	key, least, inside := t.leastFloat(v), new(big.Rat), false
	for _, k := range []int64{key, key - 1} {
		f := t.keyed(k)
		if math.IsInf(f, 0) {
			continue
		}
		n := new(big.Rat).SetFloat64(f)
		if from != nil && n.Cmp(from) < 0 || to != nil && n.Cmp(to) >= 0 {
			continue
		}
		far := new(big.Rat).Sub(n, v)
		if far.Abs(far); !inside || far.Cmp(least) < 0 {
			key, least, inside = k, far, true
		}
	}
	bits := key
	if key < 0 {
		bits = -key | -1<<(t.Bits-1)
	}
	return big.NewInt(bits), inside
}

// leastFloat is the key of the least float that is not below v. It compares float64 with
// g, the one nearest to v: of those that differ from it, the ones above g are above v.
func (t CellType) leastFloat(v *big.Rat) int64 {
	g, _ := v.Float64()
	reached := !math.IsInf(g, 0) && new(big.Rat).SetFloat64(g).Cmp(v) >= 0
	least, most := -t.infinity(), t.infinity()
	for least < most {
		middle := least&most + (least^most)>>1 // their mean, rounded down, without overflow
		if f := t.keyed(middle); f > g || f == g && reached {
			most = middle
		} else {
			least = middle + 1
		}
	}
	return most
}
