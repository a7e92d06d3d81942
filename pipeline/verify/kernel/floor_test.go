package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// TestRanks: a row with ties, in the order of ranks and from the best on.
func TestRanks(t *testing.T) {
	value := []float64{-2, -1, -2, 0, -1, -3}
	for y, want := range []int{2, 4, 3, 6, 5, 1} {
		if got := rank(value, y); got != want {
			t.Errorf("output %d has rank %d, want %d", y, got, want)
		}
	}
	bestOf(t, value)
}

// TestNearest: of rows of many shapes the k-th best is that of the sorted row.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, of := range map[string]func(y int) float64{
		"distances": func(y int) float64 { return -math.Abs(float64(y - 200)) },
		"random":    func(int) float64 { return r.NormFloat64() },
		"ties":      func(int) float64 { return float64(r.IntN(3)) },
		"equal":     func(int) float64 { return -7 },
		"forbidden": func(y int) float64 { return []float64{math.Inf(-1), float64(y)}[y%2] },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 300} {
				value := make([]float64, n)
				for y := range value {
					value[y] = of(y)
				}
				bestOf(t, value)
			}
		})
	}
}

// bestOf holds every best output of a row to the sorted row.
func bestOf(t *testing.T, value []float64) {
	t.Helper()
	sorted, copied := slices.Sorted(slices.Values(value)), make([]float64, len(value))
	for k := 1; k <= len(value); k++ {
		if got, want := nearest(value, copied, k), sorted[len(sorted)-k]; got != want {
			t.Fatalf("best %d is worth %v, want %v", k, got, want)
		}
	}
}

// TestRowThatPanics: what a row of a hostile order makes panic, panics where proofs are guarded,
// and not in a worker.
func TestRowThatPanics(t *testing.T) {
	p := &proof{Release: &Release{Plan: &Plan{Inputs: make([]files.Label, 3), Outputs: make([]files.Label, 1)}},
		row: func(x int, _ []float64) []float64 { return make([]float64, x) }}
	defer func() {
		if recover() == nil {
			t.Error("nothing panicked")
		}
	}()
	p.eachRow(func(_ *room, _ int, value []float64) { _ = value[0] })
}
