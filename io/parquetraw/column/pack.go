package column

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
// whole bytes.
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
