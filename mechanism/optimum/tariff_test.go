package optimum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// TestTariffIsTheExactBound: at every factor the tariff says in floats what
// the same prices prove in integers.
func TestTariffIsTheExactBound(t *testing.T) {
	for name, family := range mechtest.Families {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 3))
			p, s := family(20, r)
			l, err := Weigh(NewPattern(p, s), func(x int, row []float64) {
				r := rand.New(rand.NewPCG(uint64(x), seed))
				for y := range row {
					row[y] = r.Float64()
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			price := evenly(r)
			exact, shift := l.prices(price)
			own := l.tariff(price)
			for _, f := range []int64{1, 2, 3, 7, 20, 1000, 1e9} {
				want, _ := l.bound(big.NewRat(f, 1), exact, shift).Float64()
				got := own.bound(float64(f))
				if math.IsInf(got, -1) {
					continue // no output can occur, and the exact bound says the ceiling
				}
				if !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s, seed %d, factor %d: %v, exactly %v", name, seed, f, got, want)
				}
			}
			low, high := 1.0, 1e9
			goal := (own.bound(50) + own.bound(1e9)) / 2
			at := own.needed(goal, low, high)
			if !(own.bound(at) <= goal) || !(own.bound(at*(1+1e-9)) >= goal) {
				t.Errorf("%s, seed %d: bound %v at the factor needed, goal %v", name, seed, own.bound(at), goal)
			}
		}
	}
}

func evenly(r *rand.Rand) []float64 {
	a := make([]float64, 20)
	for i := range a {
		a[i] = r.Float64()
	}
	return a
}
