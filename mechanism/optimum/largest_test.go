package optimum

import (
	"context"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// reference is the utility of the published instances: (7x + 3y + xy) mod 11.
func reference(x int, row []float64) {
	for y := range row {
		row[y] = float64((7*x + 3*y + x*y) % 11)
	}
}

// TestOptimalInstances checks the largest expected utility of every instance
// within 1e-6 of the published value, between exact bounds.
func TestOptimalInstances(t *testing.T) {
	seen := 0
	for _, in := range instances(t) {
		for _, e := range in.Expected {
			seen++
			p, s := mechtest.Prior(in.Counts...), in.Support()
			f := new(big.Rat).SetFloat64(e.Factor)
			start := time.Now()
			m, v, err := largest(p, s, f, reference, Options{})
			if err != nil {
				t.Errorf("%s at %v: %v", in.Name, e.Factor, err)
				continue
			}
			checkWorth(t, in.Name, p, s, f, reference, m, v)
			value, _ := v.Lower.Float64()
			upper, _ := v.Upper.Float64()
			if !(math.Abs(value-e.Best) <= 1e-6) || !(math.Abs(upper-e.Best) <= 1e-6) {
				t.Errorf("%s at %v: utility %.9f .. %.9f, want %.9f", in.Name, e.Factor, value, upper, e.Best)
			}
			if d := time.Since(start); d > 50*time.Millisecond {
				t.Logf("%s at %v: %v", in.Name, e.Factor, d)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d utilities", seen)
	}
}

// largest is Largest without a limit of the shift.
func largest(p mechanism.Prior, s *mechanism.Support, f *big.Rat, w mechanism.Weights,
	opt Options) (*mechanism.Mechanism, Bracket, error) {
	return Largest(context.Background(), Problem{Prior: p, Support: s}, f, nil, w, opt)
}

func checkWorth(t *testing.T, name string, p mechanism.Prior, s *mechanism.Support, f *big.Rat, w mechanism.Weights,
	m *mechanism.Mechanism, v Bracket) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if x, y, ok := m.Within(s); !ok {
		t.Errorf("%s: cell (%d,%d) is not allowed", name, x, y)
	}
	if _, is := m.Leakage(p).Max(); is.Cmp(f) > 0 || is.Cmp(v.Factor) != 0 {
		t.Errorf("%s: factor %s, asked for %s, reported %s", name, is.FloatString(12), f.FloatString(12),
			v.Factor.FloatString(12))
	}
	if v.Lower.Cmp(v.Upper) > 0 {
		t.Errorf("%s: utility %s above its bound %s", name, v.Lower.FloatString(12), v.Upper.FloatString(12))
	}
	if err := v.Verify(Problem{Prior: p, Support: s}, f, nil, w); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
