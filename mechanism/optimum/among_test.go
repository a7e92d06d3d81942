package optimum

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// priors are random ones for the letters of a problem, some without records of a letter.
func priors(t *testing.T, r *rand.Rand, letters, n int) (all []mechanism.Prior) {
	for range n {
		count := make([]int64, letters)
		for x := range count {
			count[x] = max(0, r.Int64N(10)-1) * r.Int64N(9)
		}
		count[r.IntN(letters)]++
		all = append(all, mechtest.Prior(count...))
	}
	return all
}

// TestAmong: what is found under several priors is within the factor under each, never
// above what a linear program allows, and on the whole near it; what is said to be
// proven is.
func TestAmong(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	trials, lost := 0, 0.0
	for trial := range 120 {
		g, _, weights := random(r)
		p, s := g.Prior, g.Support
		also := priors(t, r, p.Letters(), 1+trial%2)
		g.Also = also
		m, b, err := Least(context.Background(), p, s, Options{}, also...)
		must(t, err)
		if f := m.Factor(append(also, p)...); f.Cmp(b.Upper) != 0 || b.Verify(p, s) != nil {
			t.Fatalf("trial %d: factor %v of %v, %v", trial, f, b.Upper, b.Verify(p, s))
		}
		f := new(big.Rat).Mul(b.Upper, big.NewRat(1000+int64(r.IntN(400)), 1000))
		m, w, err := Largest(context.Background(), g, f, nil, weights, Options{Near: m})
		must(t, err)
		if reached := m.Factor(append(also, p)...); reached.Cmp(f) > 0 || reached.Cmp(w.Factor) != 0 {
			t.Fatalf("trial %d: factor %v, said %v, where %v was asked for", trial, reached, w.Factor, f)
		}
		if err := w.Verify(g, f, nil, weights); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if _, _, ok := m.Within(s); !ok {
			t.Fatalf("trial %d: outside of the support", trial)
		}
		best := exact(g, f, nil, weights, also...)
		if best == nil || w.Lower.Cmp(best) > 0 || w.Upper.Cmp(best) < 0 {
			t.Fatalf("trial %d: %v is not in %v .. %v", trial, best, w.Lower, w.Upper)
		}
		if trials++; best.Sign() > 0 {
			lost += 1 - rounded(w.Lower)/rounded(best)
		}
		var far *FactorError
		_, _, err = Largest(context.Background(), g, big.NewRat(1, 2), nil, weights, Options{})
		if !errors.As(err, &far) {
			t.Fatalf("trial %d: something is within a factor below 1", trial)
		}
	}
	if lost/float64(trials) > .02 {
		t.Errorf("%.2f %% are lost in %d trials", 100*lost/float64(trials), trials)
	}
}
