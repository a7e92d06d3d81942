package several

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Two priors over 200 letters of which a quarter is allowed: the least factor,
// and the largest utility a little above it.
func BenchmarkTwoPriors(b *testing.B) {
	const n = 200
	p, s := mechtest.Families["plane"](n, rand.New(rand.NewPCG(1, 1)))
	even := make([]int64, n)
	for x := range even {
		even[x] = 1
	}
	also := []mechanism.Prior{mechtest.Counted(even)}
	for b.Loop() {
		m, c, err := Least(context.Background(), p, also, s, optimum.LeastOptions{})
		if err != nil {
			b.Fatal(err)
		}
		f := new(big.Rat).Mul(c.Upper, big.NewRat(3, 2))
		w := func(x int, row []float64) {
			for y := range row {
				row[y] = -float64((x - y) * (x - y))
			}
		}
		m, worth, err := Largest(context.Background(), p, also, s, f, w, optimum.LargestOptions{Near: m, Least: c.Lower,
			Tighten: true})
		if err != nil {
			b.Fatal(err)
		}
		gap := worth.Gap(p, s, w)
		b.ReportMetric(gap, "open")
		b.ReportMetric(rounded(c.Upper)/rounded(c.Lower)-1, "wide")
		_ = m
	}
}
