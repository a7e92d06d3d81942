package draw

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A cell is one slot of an alias table: the first 32 binary places of its
// threshold, in what bits the outputs from the threshold on and below it
// differ, and the former.
type cell = uint64

func pack(places uint32, above, below uint16) cell {
	return uint64(places)<<32 | uint64(above^below)<<16 | uint64(above)
}

// outputs of a cell.
func outputs(c cell) (above, below uint16) { return uint16(c), uint16(c) ^ uint16(c>>16) }

// A slot is a cell in full: a uniform real in [0,1) below part/total gives
// output number below, else output number above.
type slot struct {
	part         int64
	above, below int32
}

// alias divides a row into as many slots as it has outputs, each of mass
// total, so that output i has mass k w_i of k total [Vose 1991]. That is all in
// integers: k w_i is held as whole slots and a remainder below total, which
// stays in 64 bits for totals up to 2^62.
func alias(r mechanism.Row) []slot {
	k := len(r.Output)
	slots := make([]slot, k)
	whole, rest := make([]int32, k), make([]int64, k)
	var small, large []int32
	for i := range k {
		hi, lo := bits.Mul64(uint64(r.At(i)), uint64(k))
		q, rem := bits.Div64(hi, lo, uint64(r.Total))
		whole[i], rest[i] = int32(q), int64(rem)
		if q == 0 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	// While a slot is left to fill, the mass left is its capacity: a small one
	// implies a large one, and large ones alone are exactly full.
	for len(small) > 0 {
		a, b := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		slots[a] = slot{rest[a], b, a}
		if rest[b] -= r.Total - rest[a]; rest[b] < 0 {
			rest[b] += r.Total
			whole[b]--
		}
		if whole[b] == 0 {
			large = large[:len(large)-1]
			small = append(small, b)
		}
	}
	for _, b := range large {
		slots[b] = slot{0, b, b}
	}
	return slots
}

// places is floor(2^32 part/total), and what remains of part 2^32.
func places(part, total int64) (uint32, uint64) {
	q, rem := bits.Div64(uint64(part)>>32, uint64(part)<<32, uint64(total))
	return uint32(q), rem
}

// settle ends a comparison whose first word equals the first digit of the
// threshold of slot j: it takes words until one differs from its digit, or
// until the threshold has no digits left, when the real is not below it.
// Beyond 32 places the row is divided anew, which once in 2^32 draws is
// cheaper than to keep every remainder.
func settle(s *Source, r mechanism.Row, j int, c cell) uint16 {
	above, below := outputs(c)
	if w, digit := s.Word(), uint16(c>>32); w != digit {
		if w < digit {
			return below
		}
		return above
	}
	_, rem := places(alias(r)[j].part, r.Total)
	for rem != 0 {
		hi, lo := rem>>48, rem<<16
		var digit uint64
		digit, rem = bits.Div64(hi, lo, uint64(r.Total))
		if w := uint64(s.Word()); w < digit {
			return below
		} else if w > digit {
			return above
		}
	}
	return above
}
