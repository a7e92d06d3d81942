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

func TestRankIntegersIsSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 200 {
		value := make([]float64, 1+rng.IntN(300))
		span := 1 + rng.IntN(4096+2*len(value))
		for y := range value {
			value[y] = float64(rng.IntN(span) - span/2)
			if rng.IntN(9) == 0 {
				value[y] = math.Copysign(0, -1)
			}
		}
		rank := make([]uint16, len(value))
		if !rankIntegers(value, rank) {
			t.Fatalf("trial %d: integers of a span of %d are not taken", trial, span)
		}
		for i, y := range sorted(value) {
			if rank[y] != uint16(i+1) {
				t.Fatalf("trial %d: value %d of %d has rank %d, want %d", trial, y, len(value), rank[y], i+1)
			}
		}
	}
	for _, value := range [][]float64{{0, .5}, {0, 4100}, {0, math.Inf(-1)}, {math.Inf(-1), math.Inf(-1)},
		{math.NaN(), 0}} {
		if rankIntegers(value, make([]uint16, 2)) {
			t.Errorf("%v is taken for integers of a narrow range", value)
		}
	}
}
