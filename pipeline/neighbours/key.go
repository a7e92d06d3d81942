package neighbours

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tacet-privacy/tacet/io/table"
)

// keyOf tells the cell in row i, which is not null, from others of its column,
// and orders numbers and times by their size. Texts have a hash, so that two of
// 2 million are taken for one with a chance of 10^-7; decimals beyond 2^55
// count as equal where their first 55 bits are; what is no number comes last.
func keyOf(v *table.Values, i int) uint64 {
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells:
		return Hash(v.Bytes(i))
	case table.WideDecimalCells:
		return wideKey(v.Bytes(i))
	case table.FloatCells:
		b := uint64(v.Int(i))
		switch {
		case b == 1<<63: // -0
			return b
		case math.IsNaN(math.Float64frombits(b)):
			return math.MaxUint64
		case b>>63 != 0:
			return ^b
		}
		return b | 1<<63
	case table.UnsignedCells:
		return uint64(v.Int(i))
	}
	return uint64(v.Int(i)) ^ 1<<63
}

// wideKey orders big-endian two's complements of up to 64 bytes: by sign, by
// length, and by 54 bits behind the leading one.
func wideKey(b []byte) uint64 {
	flip := byte(0)
	if len(b) > 0 && b[0] >= 0x80 {
		flip = 0xff // -n-1
	}
	for len(b) > 0 && b[0] == flip {
		b = b[1:]
	}
	key := uint64(0)
	if len(b) > 0 {
		var lead [9]byte
		copy(lead[:], b)
		for k := range min(len(b), len(lead)) {
			lead[k] ^= flip
		}
		first := bits.LeadingZeros8(lead[0])
		top := binary.BigEndian.Uint64(lead[:])<<(first+1) | uint64(lead[8])<<(first+1)>>8
		key = uint64(8*len(b)-first)<<54 | top>>10
	}
	if flip != 0 {
		return 1<<63 - 1 - key
	}
	return 1<<63 | key
}
