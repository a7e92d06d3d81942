package estimate

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkCounter counts batches of keys in three arrays in turn, as a run of
// two private columns does, in a Counter and directly.
func BenchmarkCounter(b *testing.B) {
	const batch = 8192
	for _, size := range []uint32{1 << 18, 1 << 20, 1 << 21, 1 << 22} {
		rng := rand.New(rand.NewPCG(4, 4))
		keys := make([]uint32, 1<<22)
		for i := range keys {
			keys[i] = rng.Uint32N(size)
		}
		var arrays [3][]uint32
		var counters [3]*Counter
		for i := range arrays {
			arrays[i] = make([]uint32, size)
			counters[i] = NewCounter(arrays[i])
		}
		run := func(way string, add func(i int, keys []uint32)) {
			b.Run(fmt.Sprintf("%s/cells=%d", way, size), func(b *testing.B) {
				for b.Loop() {
					for from := 0; from < len(keys); from += batch {
						for i := range arrays {
							add(i, keys[from:from+batch])
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys))/float64(len(arrays)),
					"ns/key")
			})
		}
		run("counter", func(i int, keys []uint32) { counters[i].Add(keys) })
		run("direct", func(i int, keys []uint32) {
			for _, k := range keys {
				arrays[i][k]++
			}
		})
	}
}
