package optimum

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// The bound of random problems is no less than what an exact program finds.
func TestUtilityBoundHolds(t *testing.T) {
	near := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(6, seed))
		g, at, w := random(r)
		value := make([][]float64, g.Support.Inputs())
		for x := range value {
			value[x] = make([]float64, g.Support.Outputs())
			w(x, value[x])
			for y := range value[x] {
				if !g.Support.Allowed(x, y) {
					value[x][y] = math.Inf(-1)
				}
			}
		}
		want := exact(g, at, nil, w)
		if want == nil {
			continue
		}
		b := UtilityBound(g.Prior, mechtest.Matrix(value), g.Support, at)
		if v := rounded(want); b < v {
			t.Errorf("seed %d: %v is bounded by %v", seed, v, b)
		} else if b < v+.2 {
			near++
		}
	}
	if near < 50 {
		t.Errorf("%d bounds are near", near)
	}
}
