package estimate

import (
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// line gives each of n letters the 2 k + 1 outputs that are nearest on a line, evenly.
func line(t testing.TB, n, k int) *mechanism.Mechanism {
	weight := make([][]int64, n)
	for x := range weight {
		weight[x] = make([]int64, n)
		low := max(0, min(x-k, n-1-2*k))
		for y := low; y <= low+2*k; y++ {
			weight[x][y] = 1
		}
	}
	return weighted(t, weight...)
}

// large are mechanisms of a thousand letters.
func large(t testing.TB) map[string]*mechanism.Mechanism {
	r := rand.New(rand.NewPCG(22, 23))
	return map[string]*mechanism.Mechanism{
		"half kept": keeping(t, 1000, 1000, r),
		"circle":    cyclic(t, 1000, 33),
		"line":      line(t, 1000, 20), // of rank 960
	}
}

func BenchmarkInverse(b *testing.B) {
	for name, m := range large(b) {
		b.Run(name, func(b *testing.B) {
			s := simulated(b, m, shares(1000, rand.New(rand.NewPCG(24, 25))), 1e6, rand.New(rand.NewPCG(26, 27)))
			for b.Loop() {
				c := NewChannel(m)
				l, err := c.Linear(s)
				if err != nil {
					b.Fatal(err)
				}
				var sets [][]int
				for x, alone := range c.span.Alone() {
					if alone {
						sets = append(sets, []int{x})
					}
				}
				if sets == nil {
					continue
				}
				if _, err := l.Sums(sets); err != nil {
					b.Fatal(err)
				}
				if _, err := l.Covariance(OfFile, sets); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(sets)), "letters")
			}
		})
	}
}

func BenchmarkFit(b *testing.B) {
	for name, m := range large(b) {
		b.Run(name, func(b *testing.B) {
			s := simulated(b, m, shares(1000, rand.New(rand.NewPCG(24, 25))), 1e6, rand.New(rand.NewPCG(26, 27)))
			l, err := NewChannel(m).Linear(s)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				f, err := l.Fit(b.Context(), 1e-9, 1000000)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(f.Rounds), "rounds")
				b.ReportMetric(f.Gap, "gap")
			}
		})
	}
}

func BenchmarkBounds(b *testing.B) {
	m := line(b, 200, 20)
	s := simulated(b, m, shares(200, rand.New(rand.NewPCG(24, 25))), 1e6, rand.New(rand.NewPCG(26, 27)))
	c := NewChannel(m)
	l, err := c.Linear(s)
	if err != nil {
		b.Fatal(err)
	}
	f, err := c.Fit(b.Context(), s, 1e-9, 1000000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f.Bounds(l, each(200))
	}
}
