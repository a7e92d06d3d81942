package optimum

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
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
		b := UtilityBound(g.Prior, mechtest.Matrix(t, value), g.Support, at)
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

// The bound holds for every mechanism that any design makes, at its factor.
func TestUtilityBound(t *testing.T) {
	p, o := mechtest.Plane(t, 40)
	for _, h := range []int{10, 25, 36, 40} {
		s := mechanism.SupportOf(o, mechanism.RankFloor(h))
		for _, eps := range []string{"0.5", "1", "2", "3.5"} {
			e := mechtest.Epsilon(t, eps)
			bound := UtilityBound(p, o, s, e.Factor())
			m, w, err := Largest(context.Background(), Problem{Prior: p, Support: s}, e.Factor(), nil,
				mechanism.ValueWeights(o), Options{})
			var none *FactorError
			if errors.As(err, &none) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			upper, _ := w.Upper.Float64()
			if u := m.ExpectedUtility(p, o); !(u <= bound) || !(u <= upper+1e-12) {
				t.Errorf("h=%d, eps=%s: mean %v, bounds %v and %v", h, eps, u, bound, upper)
			}
		}
	}
	// Identity is allowed but leaks: without the price of it the bound is 0.
	if b := UtilityBound(p, o, mechanism.SupportOf(o, mechanism.RankFloor(1)), big.NewRat(1, 1)); !(b < -.3) {
		t.Errorf("nothing may leak, and yet the mean may be %v", b)
	}
	// Two letters, right or wrong: p_xx = 3/4 is the most at factor 3/2.
	o = mechtest.Matrix(t, [][]float64{{0, -1}, {-1, 0}})
	if b := UtilityBound(mechtest.Prior(t, 1, 1), o, mechanism.SupportOf(o, mechanism.RankFloor(1)),
		big.NewRat(3, 2)); !(math.Abs(b+.25) <= 1e-9) {
		t.Errorf("bound %v, want -1/4", b)
	}
}
