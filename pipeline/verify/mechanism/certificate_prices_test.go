package mechanism

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/mechanism/several"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// TestDuals: weights and prices that the designer found prove their bound, and
// nothing where the bound is above a factor that was reached, where a price or a
// weight is another, or where one prior was given up.
func TestDuals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	proven := 0
	for trial := range 200 {
		n, m := 3+rng.IntN(3), 3+rng.IntN(3)
		v := &document.View{Report: &document.Report{}, Plan: &document.Plan{}, Allow: exact.NewSupport(n, m)}
		s := mechanism.NewSupport(n, m)
		records := make([]int64, n)
		for x := range n {
			v.Count = append(v.Count, 1+rng.Int64N(9)*rng.Int64N(9))
			if records[x] = 1 + rng.Int64N(9)*rng.Int64N(9); rng.IntN(6) == 0 {
				records[x] = 0
			}
			v.Plan.Inputs = append(v.Plan.Inputs, files.Label{Text: strconv.Itoa(x)})
			for y := range m {
				if rng.IntN(3) > 0 || y == x%m {
					v.Allow.Allow(x, y)
					s.Allow(x, y)
				}
			}
		}
		v.Total, v.Plan.Outputs = exact.Sum(v.Count), make([]files.Label, m)
		p, err := mechanism.NewPrior(v.Count)
		if err != nil {
			t.Fatal(err)
		}
		own, err := mechanism.NewPrior(records)
		if err != nil {
			t.Fatal(err)
		}
		_, b, err := several.Least(context.Background(), p, []mechanism.Prior{own}, s, optimum.LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if b.Dual == nil {
			continue
		}
		proven++
		text := []string{}
		for _, c := range records {
			text = append(text, strconv.FormatInt(c, 10))
		}
		held, err := json.Marshal(map[string]any{"prior": map[string]any{"of": "declared", "records": text}})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(held, v.Plan); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			do   func()
			want document.Outcome
		}{
			{"as it is", func() {}, document.Passed},
			{"a bound above what was reached", func() {
				v.Plan.Certificate.Lower = new(big.Rat).Mul(b.Upper, big.NewRat(1_000_001, 1_000_000)).RatString()
			}, document.Failed},
			{"no weight", func() { clear(v.Plan.Certificate.Pi) }, document.Failed},
			{"weights of 0", func() {
				for x := range v.Plan.Certificate.Pi {
					v.Plan.Certificate.Pi[x] = "0"
				}
			}, document.Failed},
			{"a price below 0", func() { v.Plan.Certificate.Prices[0][1] = "-1" }, document.Failed},
			{"no prices", func() {
				for y := range v.Plan.Certificate.Prices {
					v.Plan.Certificate.Prices[y] = []string{"0", "0"}
				}
			}, document.Failed},
			{"a prior given up", func() { v.Plan.Prior.Only = true }, document.Failed},
		} {
			k := &v.Plan.Certificate
			k.Lower, k.Upper, k.Pi, k.Prices = b.Dual.Lower.RatString(), b.Upper.RatString(), nil, nil
			for _, w := range b.Dual.Weight {
				k.Pi = append(k.Pi, fmt.Sprint(w))
			}
			for _, z := range b.Dual.Price {
				k.Prices = append(k.Prices, []string{z[0].String(), z[1].String()})
			}
			v.Plan.Prior.Only = false
			c.do()
			v.Checks = nil
			CheckCertificate(v)
			if got := v.Checks[len(v.Checks)-1]; got.Outcome != c.want {
				t.Errorf("trial %d, %s: %v, want %v: %s", trial, c.name, got.Outcome, c.want, got.Detail)
			}
		}
	}
	if proven < 15 {
		t.Errorf("only %d trials had a proof of two priors", proven)
	}
}
