package optimum

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// BenchmarkLeast reports, besides the time, the relative width of the proven
// bracket.
func BenchmarkLeast(b *testing.B) {
	eachFamily(b, func(b *testing.B, p mechanism.Prior, s *mechanism.Support, _ mechanism.Weights) {
		for b.Loop() {
			_, c, err := Least(context.Background(), p, s, Options{})
			must(b, err)
			g, _ := new(big.Rat).Quo(c.Upper, c.Lower).Float64()
			b.ReportMetric(g-1, "gap")
			if !(g-1 <= 1e-9) {
				b.Errorf("bracket is %v wide", g-1)
			}
		}
	})
}

// BenchmarkOptimal runs at 1.1 times the least factor and reports the proven
// gap of the utility, whose weights lie in 0..1.
func BenchmarkOptimal(b *testing.B) {
	eachFamily(b, func(b *testing.B, p mechanism.Prior, s *mechanism.Support, w mechanism.Weights) {
		_, c, err := Least(context.Background(), p, s, Options{Gap: 1e-3})
		must(b, err)
		f := new(big.Rat).Mul(c.Upper, big.NewRat(11, 10))
		b.ResetTimer()
		for b.Loop() {
			_, v, err := Largest(context.Background(), Problem{Prior: p, Support: s}, f, nil, w, Options{})
			must(b, err)
			g, _ := new(big.Rat).Sub(v.Upper, v.Lower).Float64()
			b.ReportMetric(g, "gap")
			if !(g <= 1e-6) {
				b.Errorf("utility is %v from its bound", g)
			}
		}
	})
}

// eachFamily runs a benchmark on every family, at several sizes, with weights
// in 0..1.
func eachFamily(b *testing.B, run func(b *testing.B, p mechanism.Prior, s *mechanism.Support, w mechanism.Weights)) {
	for _, n := range []int{100, 200, 300, 500, 1000} {
		for _, name := range []string{"half", "zipf", "plane", "tiny"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				p, s := families[name](n, rand.New(rand.NewPCG(1, 7)))
				run(b, p, s, valued)
			})
		}
	}
}
