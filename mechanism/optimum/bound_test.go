package optimum

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
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
		if got, _ := heaviest(terms, left); !(math.Abs(got-want) <= 1e-9) {
			t.Fatalf("%v of %v: %v, want %v", left, by, got, want)
		}
	}
}

// TestPricedBound: leaving a share early gives the least bound of all shares,
// each taken over every output by itself.
func TestPricedBound(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for trial := range 300 {
		n, m := 2+r.IntN(12), 1+r.IntN(60)
		count := make([]int64, n)
		for x := range count {
			count[x] = int64(r.IntN(5))
		}
		count[r.IntN(n)]++
		p, err := mechanism.NewPrior(count)
		if err != nil {
			t.Fatal(err)
		}
		c, best := newColumns(p, m), make([]float64, n)
		for x := range n {
			row := c.row(x)
			best[x] = math.Inf(-1)
			for y := range row {
				row[y] = r.NormFloat64()
				if r.IntN(4) == 0 {
					row[y] = math.Inf(-1)
				}
				best[x] = max(best[x], row[y])
			}
			if math.IsInf(best[x], -1) {
				row[0], best[x] = 0, 0
			}
		}
		c.add()
		factor := 1 + 3*r.Float64()
		want := math.Inf(1)
		for _, share := range []float64{0, .5, .7, .8, .9, .95} {
			mean, base, most := 0.0, 0.0, math.Inf(-1)
			for x := range n {
				if c.mass[x] > 0 {
					mean += c.mass[x] * best[x]
				}
			}
			for x := range n {
				if c.mass[x] > 0 {
					base += c.mass[x] * (share*best[x] + (1-share)*mean)
				}
			}
			for y := range m {
				var terms []term
				reach := 0.0
				for x := range n {
					if v := c.row(x)[y]; c.mass[x] > 0 && !math.IsInf(v, -1) {
						terms = append(terms, term{v - share*best[x] - (1-share)*mean, c.mass[x]})
						reach += c.mass[x]
					}
				}
				if reach >= 1/factor-1e-12 {
					sum, _ := heaviest(terms, 1/factor)
					most = max(most, factor*sum)
				}
			}
			if !math.IsInf(most, -1) {
				want = min(want, base+most)
			}
		}
		if got := pricedBound(c, best, factor); got != want && !(math.Abs(got-want) <= 1e-9) {
			t.Fatalf("trial %d: %v, want %v", trial, got, want)
		}
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
			m, w, err := Largest(context.Background(), p, s, e.Factor(), mechanism.ValueWeights(o), LargestOptions{})
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
