package estimate

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Keys of all widths come out in the order of a comparing sort that keeps
// equal ones as they stood.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 3000 {
		keys, from := make([]uint64, rng.IntN(300)), rng.IntN(64)
		width := rng.IntN(65)
		for i := range keys {
			keys[i] = rng.Uint64() >> width << rng.IntN(2*from+1)
		}
		want := slices.Clone(keys)
		slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a>>from, b>>from) })
		if trial%10 == 0 {
			keys = slices.Clone(want)
		}
		if got := SortKeys(keys, make([]uint64, len(keys)+trial%2), from); !slices.Equal(got, want) {
			t.Fatalf("by the bits from %d on: %x, want %x", from, got, want)
		}
	}
}
