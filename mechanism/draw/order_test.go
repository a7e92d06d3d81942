package draw

import (
	"math"
	"testing"
)

// TestBelow: the words that would make some numbers likelier than others are
// refused, and no others. 2^32 mod 3 is 1, so of 32 bits only 0 is.
func TestBelow(t *testing.T) {
	for _, c := range []struct {
		words []uint16
		n     uint32
		want  uint32
	}{
		{[]uint16{0, 0, 0x5555, 0x5556}, 3, 1},
		{[]uint16{0, 0, 0x5555, 0x5555}, 3, 0},
		{[]uint16{0, 1}, 3, 0},
		{[]uint16{0xffff, 0xffff}, 3, 2},
		{[]uint16{0, 0}, 4, 0},
		{[]uint16{0xffff, 0xffff}, math.MaxUint32, math.MaxUint32 - 1},
		{[]uint16{0, 0, 0, 2}, math.MaxUint32, 1},
	} {
		s := Scripted(c.words, TestOrderStream(3))
		if got := s.below(c.n); got != c.want {
			t.Errorf("%x below %d give %d, want %d", c.words, c.n, got, c.want)
		}
	}
}
