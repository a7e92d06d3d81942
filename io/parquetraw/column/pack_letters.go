package column

import (
	"encoding/binary"
	"math/bits"
)

// packLetters is gather and pack in one step, eight letters at a time, for
// letters without nulls among them. It stops in front of eight that have a
// null or no index, and answers how many letters are done. packSlack bytes
// must lie behind the packed ones in dst.
func packLetters(dst []byte, letter []int32, index *[1 << 16]uint32, width uint) (done int) {
	switch {
	case width <= 8:
		return packLettersNarrow(dst, letter, index, width)
	case width < maxWidth:
		return packLettersWide(dst, letter, index, width)
	}
	return 0
}

// Eight values of at most 8 bits are one word. They are shifted by
// multiplying, see packNarrow.
func packLettersNarrow(dst []byte, letter []int32, index *[1 << 16]uint32, width uint) int {
	w := int(width & 15)
	pair, quad, octet := uint64(1)<<w, uint64(1)<<(2*w), uint64(1)<<(4*w)
	i := 0
	for ; i+8 <= len(letter) && len(dst) >= 8; i += 8 {
		l := letter[i : i+8 : i+8]
		a, b, c, d := index[uint16(l[0])], index[uint16(l[1])], index[uint16(l[2])], index[uint16(l[3])]
		odd := a | b | c | d | uint32(l[0]|l[1]|l[2]|l[3])
		x := uint64(a) + uint64(b)*pair + (uint64(c)+uint64(d)*pair)*quad
		a, b, c, d = index[uint16(l[4])], index[uint16(l[5])], index[uint16(l[6])], index[uint16(l[7])]
		odd |= a | b | c | d | uint32(l[4]|l[5]|l[6]|l[7])
		if odd>>16 != 0 {
			break
		}
		y := uint64(a) + uint64(b)*pair + (uint64(c)+uint64(d)*pair)*quad
		binary.LittleEndian.PutUint64(dst, x+y*octet)
		dst = dst[w:]
	}
	return i
}

// Eight values of 9 to 15 bits are two words.
func packLettersWide(dst []byte, letter []int32, index *[1 << 16]uint32, width uint) int {
	w := int(width & 15)
	pair, quad, octet := uint64(1)<<w, uint64(1)<<(2*w), uint64(1)<<(4*w)
	i := 0
	for ; i+8 <= len(letter) && len(dst) >= 16; i += 8 {
		l := letter[i : i+8 : i+8]
		a, b, c, d := index[uint16(l[0])], index[uint16(l[1])], index[uint16(l[2])], index[uint16(l[3])]
		odd := a | b | c | d | uint32(l[0]|l[1]|l[2]|l[3])
		x := uint64(a) + uint64(b)*pair + (uint64(c)+uint64(d)*pair)*quad
		a, b, c, d = index[uint16(l[4])], index[uint16(l[5])], index[uint16(l[6])], index[uint16(l[7])]
		odd |= a | b | c | d | uint32(l[4]|l[5]|l[6]|l[7])
		if odd>>16 != 0 {
			break
		}
		y := uint64(a) + uint64(b)*pair + (uint64(c)+uint64(d)*pair)*quad
		high, low := bits.Mul64(y, octet)
		binary.LittleEndian.PutUint64(dst, x+low)
		binary.LittleEndian.PutUint64(dst[8:], high)
		dst = dst[w:]
	}
	return i
}
