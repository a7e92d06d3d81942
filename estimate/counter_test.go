package estimate

import (
	"math/rand/v2"
	"testing"
)

// Arrays, and keys that occur, hold what counting key by key gives,
// whenever they are read, whatever the batches are.
func TestCounter(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, size := range []uint64{1, 1<<17 + 1, 1 << 20} {
		for _, c := range []*Counter{NewCounter(size, size), NewCounter(size, size-1)} {
			want := make([]int64, size)
			for range 10 {
				keys := make([]uint64, rng.IntN(20_000))
				for i := range keys {
					if keys[i] = rng.Uint64N(size); rng.IntN(3) == 0 {
						keys[i] = size - 1
					}
					want[keys[i]]++
				}
				c.Add(keys)
				if k := rng.Uint64N(size); rng.IntN(4) == 0 && c.Count(k) != want[k] {
					t.Fatalf("%d cells: another count", size)
				}
			}
			last := int64(-1)
			for k, n := range c.All {
				if int64(k) <= last || n != want[k] {
					t.Fatalf("%d cells: key %d after %d: %d", size, k, last, n)
				}
				last, want[k] = int64(k), 0
			}
			for k, n := range want {
				if n > 0 {
					t.Fatalf("%d cells: key %d is left out", size, k)
				}
			}
		}
	}
}
