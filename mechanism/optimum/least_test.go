package optimum

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/test/torture"
)

// TestLeastInstances checks every bracketed instance: both sides within 1e-9
// of the published bracket, and proven.
func TestLeastInstances(t *testing.T) {
	for _, in := range instances(t) {
		p, s := mechtest.Prior(in.Counts...), in.Support()
		start := time.Now()
		m, c, err := Least(context.Background(), p, s, Options{})
		if in.Expect != "" {
			if err == nil {
				t.Errorf("%s: no error", in.Name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", in.Name, err)
			continue
		}
		checkBracket(t, in.Name, p, s, m, c)
		low, high := mechtest.Ratio(in.Low), mechtest.Ratio(in.High)
		slack := new(big.Rat).SetFloat64(1 + 1e-9)
		if new(big.Rat).Mul(c.Lower, slack).Cmp(low) < 0 || c.Upper.Cmp(new(big.Rat).Mul(high, slack)) > 0 {
			t.Errorf("%s: bracket %s .. %s, want %s .. %s", in.Name, c.Lower.FloatString(12), c.Upper.FloatString(12),
				in.Low, in.High)
		}
		t.Logf("%s %s %s %v", in.Name, c.Lower.RatString(), c.Upper.RatString(), time.Since(start))
	}
}

func checkBracket(t *testing.T, name string, p mechanism.Prior, s *mechanism.Support, m *mechanism.Mechanism,
	c Certificate) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if x, y, ok := m.Within(s); !ok {
		t.Errorf("%s: cell (%d,%d) is not allowed", name, x, y)
	}
	if err := c.Verify(p, s); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if _, f := m.Leakage(p).Max(); f.Cmp(c.Upper) != 0 {
		t.Errorf("%s: factor %s, certificate says %s", name, f.RatString(), c.Upper.RatString())
	}
	if c.Lower.Cmp(c.Upper) > 0 {
		t.Errorf("%s: lower %s above upper %s", name, c.Lower.RatString(), c.Upper.RatString())
	}
}

// The least factors of random problems lie in their brackets: an exact program has no
// mechanism just below Lower.
func TestLeastIsExact(t *testing.T) {
	open := 0
	for seed := range uint64(torture.Count(300, 10_000)) {
		r := rand.New(rand.NewPCG(7, seed))
		g, _, _ := random(r)
		m, c, err := Least(context.Background(), g.Prior, g.Support, Options{})
		must(t, err)
		checkBracket(t, fmt.Sprint(seed), g.Prior, g.Support, m, c)
		below := new(big.Rat).Mul(c.Lower, big.NewRat(1<<40-1, 1<<40))
		if below.Cmp(one) >= 0 && exact(g, below, nil, nil) != nil {
			t.Errorf("seed %d: there is a mechanism below %v", seed, c.Lower)
		}
		if rounded(c.Upper) > rounded(c.Lower)*(1+1e-9) {
			open++
		}
		raised := c
		raised.Lower = new(big.Rat).Mul(c.Upper, big.NewRat(1_000_001, 1_000_000))
		if raised.Verify(g.Prior, g.Support) == nil {
			t.Errorf("seed %d: a raised bound is taken", seed)
		}
	}
	if open > 1 {
		t.Errorf("%d brackets are open", open)
	}
}

// Whatever its weights, a certificate proves nothing that is false.
func TestAnyCertificateHolds(t *testing.T) {
	proven := 0
	for seed := range uint64(torture.Count(200, 4000)) {
		r := rand.New(rand.NewPCG(9, seed))
		g, _, _ := random(r)
		for range 10 {
			c := Certificate{Weight: make([]int64, g.Prior.Letters())}
			for x := range c.Weight {
				if c.Weight[x] = g.Prior.Count(x) * r.Int64N(3); c.Weight[x] > 0 && seed%2 == 0 {
					c.Weight[x] = r.Int64N(6)
				}
			}
			c.Lower = bound(NewPattern(g.Prior, g.Support), c.Weight)
			if c.Lower.Cmp(one) > 0 {
				proven++
				if below := new(big.Rat).Mul(c.Lower, big.NewRat(1<<40-1, 1<<40)); exact(g, below, nil, nil) != nil {
					t.Fatalf("seed %d: %v is proven by %v", seed, c.Lower, c.Weight)
				}
			}
		}
	}
	if proven < 100 {
		t.Errorf("%d bounds above 1", proven)
	}
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
