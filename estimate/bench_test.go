package estimate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/estimate"
)

// BenchmarkPairs counts pairs of a letter and one of the half of all outputs
// that it may become.
func BenchmarkPairs(b *testing.B) {
	for _, n := range []int{16, 229, 1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			x, y := make([]int32, 1<<16), make([]int32, 1<<16)
			for i := range x {
				x[i] = r.Int32N(int32(n))
				y[i] = (x[i] + r.Int32N(int32(n+1)/2)) % int32(n)
			}
			p := estimate.NewPairs(n, n)
			b.SetBytes(int64(len(x)))
			for b.Loop() {
				p.Add(x, y)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/record")
		})
	}
}
