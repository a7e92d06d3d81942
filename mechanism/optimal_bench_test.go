package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// A family makes an instance of n letters and n outputs.
type family func(n int, r *rand.Rand) (Prior, *Support)

// optimalFamilies are the instances on which the solver is measured: half of
// all outputs at random, a quarter at random under a Zipf prior, the nearest
// quarter of points in the plane, and the same with a tenth of the letters at
// probability 1e-7.
var optimalFamilies = map[string]family{
	"half": func(n int, r *rand.Rand) (Prior, *Support) { return uneven(n, r), scattered(n, n/2, r) },
	"zipf": func(n int, r *rand.Rand) (Prior, *Support) {
		count := make([]int64, n)
		for i := range count {
			count[i] = int64(1e9 / float64(i+1))
		}
		return counted(count), scattered(n, n/4, r)
	},
	"plane": func(n int, r *rand.Rand) (Prior, *Support) { return uneven(n, r), nearest(n, n/4, r) },
	"tiny": func(n int, r *rand.Rand) (Prior, *Support) {
		count := uneven(n, r).Counts()
		for i := 0; i < n; i += 10 {
			count[i] = 100
		}
		return counted(count), nearest(n, n/4, r)
	},
}

func counted(count []int64) Prior {
	p, err := NewPrior(count)
	if err != nil {
		panic(err)
	}
	return p
}

// uneven has about 1e9 records, exponentially distributed.
func uneven(n int, r *rand.Rand) Prior {
	count := make([]int64, n)
	for i := range count {
		count[i] = 1 + int64(1e9/float64(n)*r.ExpFloat64())
	}
	return counted(count)
}

func scattered(n, k int, r *rand.Rand) *Support {
	s := NewSupport(n, n)
	for x := range n {
		for _, y := range r.Perm(n)[:k] {
			s.Allow(x, y)
		}
	}
	return s
}

func nearest(n, k int, r *rand.Rand) *Support {
	at := make([][2]float64, n)
	for i := range at {
		at[i] = [2]float64{r.Float64(), r.Float64()}
	}
	s := NewSupport(n, n)
	by := make([]int, n)
	for x := range n {
		far := func(y int) float64 { return math.Hypot(at[x][0]-at[y][0], at[x][1]-at[y][1]) }
		for y := range by {
			by[y] = y
		}
		slices.SortFunc(by, func(a, b int) int {
			if far(a) < far(b) {
				return -1
			}
			return 1
		})
		for _, y := range by[:k] {
			s.Allow(x, y)
		}
	}
	return s
}

// BenchmarkLeast reports, besides the time, the relative width of the proven
// bracket.
func BenchmarkLeast(b *testing.B) {
	eachFamily(b, func(b *testing.B, p Prior, s *Support, _ Weights) {
		for b.Loop() {
			_, c, err := Least(context.Background(), p, s, LeastOptions{})
			if err != nil {
				b.Fatal(err)
			}
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
	eachFamily(b, func(b *testing.B, p Prior, s *Support, w Weights) {
		_, c, err := Least(context.Background(), p, s, LeastOptions{Gap: 1e-3})
		if err != nil {
			b.Fatal(err)
		}
		f := new(big.Rat).Mul(c.Upper, big.NewRat(11, 10))
		b.ResetTimer()
		for b.Loop() {
			_, v, err := Optimal(context.Background(), p, s, f, w, OptimalOptions{})
			if err != nil {
				b.Fatal(err)
			}
			g, _ := new(big.Rat).Sub(v.Upper, v.Value).Float64()
			b.ReportMetric(g, "gap")
			if !(g <= 1e-6) {
				b.Errorf("utility is %v from its bound", g)
			}
		}
	})
}

func eachFamily(b *testing.B, run func(b *testing.B, p Prior, s *Support, w Weights)) {
	for _, n := range []int{100, 200, 300, 500, 1000} {
		for _, name := range []string{"half", "zipf", "plane", "tiny"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				p, s := optimalFamilies[name](n, rand.New(rand.NewPCG(1, 7)))
				w := func(x int, row []float64) {
					r := rand.New(rand.NewPCG(uint64(x), 8))
					for y := range row {
						row[y] = r.Float64()
					}
				}
				run(b, p, s, w)
			})
		}
	}
}

// BenchmarkDesign is the whole design at a fixed floor, where epsilon leaves
// room for every letter's best output and where it is a tenth above the least:
// both stages and the tightening, with their proofs.
func BenchmarkDesign(b *testing.B) {
	eachFamily(b, func(b *testing.B, p Prior, s *Support, w Weights) {
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
		o, err := NewMatrix(value)
		if err != nil {
			b.Fatal(err)
		}
		_, c, err := Least(context.Background(), p, s, LeastOptions{})
		if err != nil {
			b.Fatal(err)
		}
		floor := RankFloor(1)
		for name, f := range map[string]*big.Rat{"ample": big.NewRat(1_000_000, 1), "near": new(big.Rat).Mul(c.Upper, big.NewRat(11, 10))} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					_, v, err := Design(context.Background(), p, o, Goal{Epsilon: LogOf(f), Floor: &floor, Kind: "optimal"})
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
