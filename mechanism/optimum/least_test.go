package optimum

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// TestLeastInstances checks every bracketed instance: both sides within 1e-9
// of the published bracket, and proven.
func TestLeastInstances(t *testing.T) {
	for _, in := range mechtest.Instances(t) {
		p, s := mechtest.Prior(t, in.Counts...), in.Support()
		start := time.Now()
		m, c, err := Least(context.Background(), p, s, LeastOptions{})
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
		low, high := mechtest.Ratio(t, in.Low), mechtest.Ratio(t, in.High)
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
