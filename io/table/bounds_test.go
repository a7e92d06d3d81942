package table

import (
	"slices"
	"testing"
)

// Every place in a block, and both bounds.
func TestHold(t *testing.T) {
	for _, last := range []int32{-1, 0, 1, 999, 1<<31 - 1} {
		for n := range 20 {
			fine := make([]int32, n)
			for i := range fine {
				fine[i] = max(0, last-int32(i%2))
			}
			if got := Within(fine, last); got == (last < 0 && n > 0) {
				t.Fatalf("%d codes up to %d: %v", n, last, got)
			}
			for i := range fine {
				for _, wrong := range []int32{-1, -1 << 31, last + 1, 1<<31 - 1} {
					if wrong >= 0 && wrong <= last {
						continue
					}
					code := slices.Clone(fine)
					if code[i] = wrong; Within(code, last) {
						t.Fatalf("code %d of %d is %d, above %d, and that is not seen", i, n, wrong, last)
					}
				}
			}
		}
	}
}
