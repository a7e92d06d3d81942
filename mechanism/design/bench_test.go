package design

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// BenchmarkDesign is the whole design at a fixed floor, where epsilon leaves
// room for every letter's best output and where it is a tenth above the least:
// both stages and the tightening, with their proofs.
func BenchmarkDesign(b *testing.B) {
	mechtest.EachFamily(b, func(b *testing.B, p mechanism.Prior, s *mechanism.Support, w mechanism.Weights) {
		value := make([][]float64, p.Letters())
		for x := range value {
			value[x] = make([]float64, s.Outputs())
			w(x, value[x])
			for y := range value[x] {
				if !s.Allowed(x, y) {
					value[x][y] = math.Inf(-1)
				}
			}
		}
		o, err := mechanism.NewMatrix(value)
		if err != nil {
			b.Fatal(err)
		}
		_, c, err := optimum.Least(context.Background(), p, s, optimum.LeastOptions{})
		if err != nil {
			b.Fatal(err)
		}
		floor := mechanism.RankFloor(1)
		for name, f := range map[string]*big.Rat{"ample": big.NewRat(1_000_000, 1),
			"near": new(big.Rat).Mul(c.Upper, big.NewRat(11, 10))} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					_, v, err := Make(context.Background(), p, o, Goal{Epsilon: mechanism.LogOf(f), Floor: &floor,
						Kind: "optimal"})
					if err != nil {
						b.Fatal(err)
					}
					g, _ := new(big.Rat).Quo(v.Upper, v.Lower).Float64()
					b.ReportMetric(g-1, "gap")
					b.ReportMetric(v.UtilityGap, "utility-gap")
					if !(g-1 <= 1e-9) || !(v.UtilityGap <= 1e-6) {
						b.Errorf("factor %v and utility %v from their bounds", g-1, v.UtilityGap)
					}
				}
			})
		}
	})
}
