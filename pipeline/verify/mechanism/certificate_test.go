package mechanism

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// TestCertificates: weights that the designer found prove its bound and not a
// bit more, over random priors and supports, letters without records among
// them.
func TestCertificates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	weighted := 0
	for trial := range 300 {
		n, m := 2+rng.IntN(7), 2+rng.IntN(7)
		v := &document.View{Report: &document.Report{}, Plan: &document.Plan{}, Allow: exact.NewSupport(n, m)}
		s := mechanism.NewSupport(n, m)
		for x := range n {
			c := int64(rng.IntN(20))
			if rng.IntN(8) == 0 {
				c = 1e9
			}
			v.Count, v.Total = append(v.Count, c), v.Total+c
			v.Plan.Inputs = append(v.Plan.Inputs, files.Label{Text: fmt.Sprint(x)})
			for y := range m {
				if rng.IntN(3) == 0 || y == x%m {
					v.Allow.Allow(x, y)
					s.Allow(x, y)
				}
			}
		}
		v.Plan.Outputs = make([]files.Label, m)
		p, err := mechanism.NewPrior(v.Count)
		if err != nil {
			t.Fatal(err)
		}
		if v.Total == 0 {
			continue
		}
		_, c, err := optimum.Least(context.Background(), p, s, optimum.LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range c.Weight {
			v.Plan.Certificate.Pi = append(v.Plan.Certificate.Pi, fmt.Sprint(k))
		}
		more := new(big.Rat).Mul(c.Lower, big.NewRat(1e15+1, 1e15))
		for bound, want := range map[*big.Rat]document.Outcome{c.Lower: document.Passed, more: document.Failed} {
			if bound == more && c.Lower.Cmp(letterBound(v)) < 0 {
				continue
			}
			v.Checks = nil
			v.Plan.Certificate.Lower, v.Plan.Certificate.Upper = bound.RatString(), bound.RatString()
			CheckCertificate(v)
			if got := v.Checks[len(v.Checks)-1]; got.Outcome != want {
				t.Errorf("trial %d: bound %s: %v, want %v: %s", trial, bound.RatString(), got.Outcome, want, got.Detail)
			}
		}
		if c.Weight != nil && c.Lower.Cmp(letterBound(v)) > 0 {
			weighted++
		}
	}
	if weighted < 20 {
		t.Errorf("only %d trials needed weights", weighted)
	}
}

// TestCertificateTrap: weights proportional to the prior meet the sum of
// weights with equality at every factor, and prove none.
func TestCertificateTrap(t *testing.T) {
	v := &document.View{Report: &document.Report{}, Plan: &document.Plan{}, Allow: exact.NewSupport(3, 2),
		Count: []int64{5, 3, 2}, Total: 10}
	for x := range 3 {
		v.Allow.Allow(x, 0)
	}
	v.Allow.Allow(0, 1)
	v.Plan.Outputs, v.Plan.Inputs = make([]files.Label, 2), make([]files.Label, 3)
	mass := mass(v.Allow, len(v.Plan.Outputs), v.Count)
	for _, bound := range []int64{2, 3, 100} {
		if y := unproven(v, []int64{5, 3, 2}, mass, big.NewRat(bound, 1)); y != 0 {
			t.Errorf("factor %d: output %d, want 0: everything goes to the first output at factor 1", bound, y)
		}
	}
	// Equality that is allowed: output 0 is dead below 1, and the densest letter
	// of output 1 alone reaches the sum at its own 1/P.
	if y := unproven(v, []int64{10, 0, 0}, []int64{5, 5}, big.NewRat(2, 1)); y >= 0 {
		t.Errorf("output %d", y)
	}
	v.Plan.Certificate.Lower, v.Plan.Certificate.Upper, v.Plan.Certificate.Pi = "2", "2", []string{"0", "1", "0"}
	v.Count[1], v.Total = 0, 7
	if _, why := weights(v); why == "" {
		t.Error("a letter without records has a weight")
	}
}
