package page

import (
	"encoding/binary"
	"math/bits"
)

// maxWidth is the widest index that is packed, in bits.
const maxWidth = 16

// packSlack is how many bytes behind the packed ones may be overwritten:
// whole words are stored.
const packSlack = 16

// indexWidth is the bit width of the indices of a dictionary of n entries. It
// is at least 1: width 0 is legal, and rare enough not to be read everywhere.
func indexWidth(n int) uint { return uint(max(1, bits.Len(uint(max(n, 1)-1)))) }

// packedSize is how many bytes n values of that width take, in groups of
// eight.
func packedSize(n int, width uint) int { return (n + 7) / 8 * int(width) }

// pack writes the values in src, little-endian 16-bit numbers less than
// 1<<width and a multiple of eight of them, bit-packed to dst, least
// significant bit first. packSlack bytes must lie behind them in dst.
//
// Four values are loaded as one word and moved together in two steps, pairs
// within 32-bit lanes and then the two lanes. Eight values of w bits are w
// whole bytes. bitpack.Pack takes two to four times as long (8 bits: 1.7 instead of
// .4 ns a value), which is a tenth of a run that neither judges nor hashes.
func pack(dst, src []byte, width uint) {
	switch {
	case width == 0:
	case width <= 8:
		packNarrow(dst, src, width)
	case width < maxWidth:
		packWide(dst, src, width)
	default:
		copy(dst, src)
	}
}

const evenLanes = 0x0000ffff0000ffff

// packNarrow shifts by multiplying, which is one step where a shift by a
// variable takes three.
func packNarrow(dst, src []byte, width uint) {
	w := width & 15
	pair, quad, octet := uint64(1)<<w, uint64(1)<<(2*w), uint64(1)<<(4*w)
	for len(src) >= 16 && len(dst) >= 8 {
		x, y := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		x = x&evenLanes | (x>>16&evenLanes)*pair
		y = y&evenLanes | (y>>16&evenLanes)*pair
		x = x&0xffffffff | x>>32*quad
		y = y&0xffffffff | y>>32*quad
		binary.LittleEndian.PutUint64(dst, x|y*octet)
		dst, src = dst[w:], src[16:]
	}
}

func packWide(dst, src []byte, width uint) {
	w := width & 15
	pair, quad, octet := uint64(1)<<w, uint64(1)<<(2*w), uint64(1)<<(4*w)
	for len(src) >= 16 && len(dst) >= 16 {
		x, y := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		x = x&evenLanes | (x>>16&evenLanes)*pair
		y = y&evenLanes | (y>>16&evenLanes)*pair
		x = x&0xffffffff | x>>32*quad
		y = y&0xffffffff | y>>32*quad
		high, low := bits.Mul64(y, octet)
		binary.LittleEndian.PutUint64(dst, x|low)
		binary.LittleEndian.PutUint64(dst[8:], high)
		dst, src = dst[w:], src[16:]
	}
}

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
