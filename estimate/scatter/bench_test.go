package scatter

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkCounter counts batches of keys in three arrays in turn, as a run of
// two private columns does, held back and directly.
func BenchmarkCounter(b *testing.B) {
	const size, batch = 1 << 20, 8192
	rng := rand.New(rand.NewPCG(4, 4))
	keys := make([]uint32, 1<<22)
	for i := range keys {
		keys[i] = rng.Uint32N(size)
	}
	var arrays [3][]uint32
	var counters [3]*Counter
	for i := range arrays {
		arrays[i] = make([]uint32, size)
		counters[i] = New(arrays[i])
	}
	run := func(b *testing.B, add func(i int, keys []uint32)) {
		for b.Loop() {
			for from := 0; from < len(keys); from += batch {
				for i := range arrays {
					add(i, keys[from:from+batch])
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys))/float64(len(arrays)), "ns/key")
	}
	b.Run("held", func(b *testing.B) { run(b, func(i int, keys []uint32) { counters[i].Add(keys) }) })
	b.Run("direct", func(b *testing.B) {
		run(b, func(i int, keys []uint32) {
			for _, k := range keys {
				arrays[i][k]++
			}
		})
	})
}
