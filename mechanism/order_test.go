package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRankTies(t *testing.T) {
	rank := make([]uint16, 6)
	Rank([]float64{2, math.Inf(-1), 2, 0, math.Copysign(0, -1), 5}, rank)
	if want := []uint16{4, 1, 5, 2, 3, 6}; !slices.Equal(rank, want) {
		t.Errorf("ranks %v, want %v", rank, want)
	}
}

func TestRadixSortedIsSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 60 {
		value := make([]float64, 1+rng.IntN(3000))
		for y := range value {
			switch value[y] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(600)-300)); rng.IntN(5) {
			case 0:
				value[y] = float64(rng.IntN(7) - 3)
			case 1:
				value[y] = math.Copysign(0, value[y])
			case 2:
				if trial%2 == 0 {
					value[y] = math.Inf(-1)
				}
			}
		}
		if !slices.Equal(sorted(value), radixSorted(value)) {
			t.Fatalf("trial %d: the two sorts differ on %d values", trial, len(value))
		}
	}
}
