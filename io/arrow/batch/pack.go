package batch

import (
	"encoding/binary"
)

const (
	// MaxPacked is the longest text that Pack turns into a number.
	MaxPacked = 7
	// Unpacked is what Pack gives for longer ones.
	Unpacked = ^uint64(0)
)

// PackBytes is the number that stands for a text of at most MaxPacked bytes:
// its bytes, the length on top. Different texts have different numbers.
func PackBytes(b []byte) uint64 {
	if len(b) > MaxPacked {
		return Unpacked
	}
	key := uint64(len(b)) << 56
	for i, c := range b {
		key |= uint64(c) << (8 * i)
	}
	return key
}

// Pack does PackBytes for the rows from..from+len(dst) of text or binary. A
// null is as the empty text.
func (a *Array) Pack(dst []uint64, from int) {
	if a.Nulls > 0 {
		for i := range dst {
			dst[i] = PackBytes(a.Bytes(from + i))
		}
		return
	}
	switch a.typ.Code {
	case Utf8View, BinaryView:
		for i := range dst {
			v := a.fixed[16*(from+i):][:16]
			n := binary.LittleEndian.Uint32(v)
			dst[i] = packWord(binary.LittleEndian.Uint64(v[4:]), uint64(n))
		}
	case Utf8, BinaryType:
		off := a.fixed[4*from:]
		start := uint64(binary.LittleEndian.Uint32(off))
		for i := range dst {
			end := uint64(binary.LittleEndian.Uint32(off[4*i+4:]))
			dst[i] = a.packData(start, end)
			start = end
		}
	default:
		off := a.fixed[8*from:]
		start := binary.LittleEndian.Uint64(off)
		for i := range dst {
			end := binary.LittleEndian.Uint64(off[8*i+8:])
			dst[i] = a.packData(start, end)
			start = end
		}
	}
}

func (a *Array) packData(start, end uint64) uint64 {
	if start+8 > uint64(len(a.data)) {
		return PackBytes(a.data[start:end])
	}
	return packWord(binary.LittleEndian.Uint64(a.data[start:]), end-start)
}

// packWord packs the first n bytes of word.
func packWord(word, n uint64) uint64 {
	if n > MaxPacked {
		return Unpacked
	}
	return word&(1<<(8*n)-1) | n<<56
}
