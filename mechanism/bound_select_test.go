package mechanism

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHeaviest: selecting gives what sorting gives, also with many ties and
// with more mass asked for than there is.
func TestHeaviest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		terms := make([]term, r.IntN(40))
		for i := range terms {
			terms[i] = term{float64(r.IntN(1 + r.IntN(20))), r.Float64()}
		}
		left := 12 * r.Float64() * r.Float64()
		by := slices.Clone(terms)
		slices.SortFunc(by, func(a, b term) int { return cmp.Compare(b.gain, a.gain) })
		want, open := 0.0, left
		for _, v := range by {
			take := min(open, v.mass)
			want += take * v.gain
			open -= take
		}
		if got := heaviest(terms, left); !(math.Abs(got-want) <= 1e-9) {
			t.Fatalf("%v of %v: %v, want %v", left, by, got, want)
		}
	}
}
