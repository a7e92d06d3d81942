package shares

import (
	"context"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// BenchmarkNearest runs at twice the least factor of the support, and reports what
// is left open of the shift and, within a hundredth more, of weights in 0..1.
func BenchmarkNearest(b *testing.B) {
	mechtest.EachFamily(b, func(b *testing.B, p mechanism.Prior, s *mechanism.Support, w mechanism.Weights) {
		_, c, err := optimum.Least(context.Background(), p, s, optimum.LeastOptions{Gap: 1e-3})
		if err != nil {
			b.Fatal(err)
		}
		g := Problem{p, s, standing(p.Letters())}
		t := new(big.Rat).Mul(c.Upper, big.NewRat(2, 1))
		m, br, err := Least(context.Background(), g, t, Options{})
		if err != nil {
			b.Fatal(err)
		}
		limit := new(big.Rat).Add(br.Shift, big.NewRat(1, 100))
		for name, run := range map[string]func() float64{
			"shift": func() float64 {
				_, br, err := Least(context.Background(), g, t, Options{})
				if err != nil {
					b.Fatal(err)
				}
				return rounded(br.Shift) - rounded(br.Lower)
			},
			"weight": func() float64 {
				_, v, err := Largest(context.Background(), g, t, limit, w, Options{Near: m})
				if err != nil {
					b.Fatal(err)
				}
				return v.Gap
			},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					open := run()
					b.ReportMetric(open, "gap")
					if !(open <= Gap) {
						b.Errorf("%v is left open", open)
					}
				}
			})
		}
	})
}
