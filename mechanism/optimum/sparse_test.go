package optimum_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// nearby allows every letter the outputs within reach on a circle.
func nearby(letters, reach int) *mechanism.Support {
	s := mechanism.NewSupport(letters, letters)
	for x := range letters {
		for d := -reach; d <= reach; d++ {
			s.Allow(x, (x+d+letters)%letters)
		}
	}
	return s
}

// nearer prefers what is nearer on that circle.
func nearer(letters int) mechanism.Weights {
	return func(x int, row []float64) {
		for y := range row {
			d := (y - x + letters) % letters
			row[y] = -float64(min(d, letters-d))
		}
	}
}

// TestSparse: the method for many letters proves its bracket in integers, around that of
// the dense one, and keeps the factor that it is asked for exactly.
func TestSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const letters = 90
	count := make([]int64, letters)
	for x := range count {
		if x%17 > 0 { // some have no records
			count[x] = 1 + rng.Int64N(30)
		}
	}
	p, err := mechanism.NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	s := nearby(letters, 8)
	_, dense, err := optimum.Least(t.Context(), p, s, optimum.LeastOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, c, err := optimum.Least(t.Context(), p, s, optimum.LeastOptions{Sparse: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(p, s); err != nil {
		t.Error(err)
	}
	if f := m.Factor(p); f.Cmp(c.Upper) != 0 || f.Cmp(dense.Lower) < 0 || c.Lower.Cmp(dense.Upper) > 0 {
		t.Errorf("factor %v in %v .. %v, and the least is in %v .. %v", f, c.Lower, c.Upper, dense.Lower, dense.Upper)
	}
	if g, _ := new(big.Rat).Quo(c.Upper, c.Lower).Float64(); !(g <= 1.15) {
		t.Errorf("the bracket %v .. %v is wide", c.Lower, c.Upper)
	}
	g, limit := optimum.Problem{Prior: p, Support: s}, new(big.Rat).Mul(dense.Upper, big.NewRat(3, 2))
	w := nearer(letters)
	_, best, err := optimum.Largest(t.Context(), g, limit, nil, w, optimum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, worth, err := optimum.Largest(t.Context(), g, limit, nil, w, optimum.Options{Near: m, Sparse: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := m.Within(s); !ok || m.Factor(p).Cmp(limit) > 0 {
		t.Errorf("factor %v, and %v was asked for; within the support: %t", m.Factor(p), limit, ok)
	}
	if err := worth.Verify(g, limit, nil, w); err != nil {
		t.Error(err)
	}
	if worth.Lower.Cmp(best.Upper) > 0 || worth.Upper.Cmp(best.Lower) < 0 {
		t.Errorf("worth %v .. %v, and the largest is in %v .. %v", worth.Lower, worth.Upper, best.Lower, best.Upper)
	}
	if !(worth.Gap <= .02) {
		t.Errorf("%v of the range stays open", worth.Gap)
	}
	// Below the least factor there is nothing, and that is proven.
	low := new(big.Rat).Mul(dense.Lower, big.NewRat(9, 10))
	if _, c, err = optimum.Least(t.Context(), p, s, optimum.LeastOptions{Sparse: true, Decide: low}); err != nil ||
		c.Lower.Cmp(low) <= 0 || c.Verify(p, s) != nil {
		t.Errorf("%v .. %v does not decide %v: %v", c.Lower, c.Upper, low, err)
	}
}
