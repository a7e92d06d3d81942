package estimate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Small and large arrays hold what counting key by key gives, after every
// Flush, whatever the batches are.
func TestCounter(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, size := range []int{1, Direct, Direct + 1, 1<<18 - 5, 1 << 20} {
		got, want := make([]uint32, size), make([]uint32, size)
		c := NewCounter(got)
		for range 40 {
			keys := make([]uint32, rng.IntN(20_000))
			for i := range keys {
				if keys[i] = rng.Uint32N(uint32(size)); rng.IntN(3) == 0 {
					keys[i] = uint32(size - 1)
				}
				want[keys[i]]++
			}
			c.Add(keys)
			if rng.IntN(4) == 0 {
				if c.Flush(); !slices.Equal(got, want) {
					t.Fatalf("%d cells: other counts", size)
				}
			}
		}
		c.Flush()
		if c.Flush(); !slices.Equal(got, want) {
			t.Fatalf("%d cells: other counts in the end", size)
		}
	}
}
