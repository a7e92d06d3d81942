package mechanism

import (
	"fmt"
	"math/big"
	"strings"
)

// MaxNats is the largest epsilon that is read. No mechanism over at most 2^62
// records leaks more than 43 nats, so anything near it means "no limit".
const MaxNats = 10000

// An Epsilon is a bound on leakage, in nats, held exactly: a decimal as it was
// written, or the logarithm of a rational factor. The zero value is 0 nats.
//
// Floats cannot hold it: of the 1,770 thresholds log(n/k), n <= 60, computed
// in float64 a naive comparison refuses 634.
type Epsilon struct {
	text   string
	nats   *big.Rat // the decimal; nil for a logarithm
	factor *big.Rat // exact e^eps of a logarithm; for a decimal, e^eps rounded down
	above  *big.Rat // for a decimal: above e^eps by less than a relative 2^-62
}

// ParseEpsilon reads a decimal in nats ("0.85", "4", "1e-3") or the logarithm
// of a factor ("log(7/3)", "log(7)", "log(2.5)"). It fails on anything
// negative, not finite, malformed or above MaxNats.
func ParseEpsilon(s string) (Epsilon, error) {
	if inner, ok := strings.CutPrefix(s, "log("); ok {
		inner, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return Epsilon{}, fmt.Errorf("epsilon %s: log( has no closing parenthesis", quote(s))
		}
		f, err := parseRatio(inner)
		if err != nil {
			return Epsilon{}, fmt.Errorf("epsilon %s: %w", quote(s), err)
		}
		if f.Cmp(one) < 0 {
			return Epsilon{}, fmt.Errorf("epsilon %s: the logarithm of a factor below 1 is negative", quote(s))
		}
		return Epsilon{text: s, factor: f}, nil
	}
	r, err := parseDecimal(s)
	if err != nil {
		return Epsilon{}, fmt.Errorf("epsilon %s: %w", quote(s), err)
	}
	if r.Cmp(big.NewRat(MaxNats, 1)) > 0 {
		return Epsilon{}, fmt.Errorf("epsilon %s: above %d nats it limits nothing", quote(s), MaxNats)
	}
	f := expDown(r)
	return Epsilon{text: s, nats: r, factor: f, above: new(big.Rat).Mul(f, big.NewRat(1<<62+1, 1<<62))}, nil
}

// ParseFactor reads the largest factor e^eps itself: "7/3", "7", "2.5". It
// fails on anything below 1, not finite or malformed.
func ParseFactor(s string) (Epsilon, error) {
	f, err := parseRatio(s)
	if err != nil {
		return Epsilon{}, fmt.Errorf("factor %s: %w", quote(s), err)
	}
	if f.Cmp(one) < 0 {
		return Epsilon{}, fmt.Errorf("factor %s: it is below 1, and no mechanism keeps below 1", quote(s))
	}
	return Epsilon{text: "log(" + s + ")", factor: f}, nil
}

// LogOf is the epsilon log f, exact. f must be at least 1.
func LogOf(f *big.Rat) Epsilon {
	if f.Cmp(one) < 0 {
		panic("mechanism: epsilon of a factor below 1")
	}
	return Epsilon{text: "log(" + f.RatString() + ")", factor: new(big.Rat).Set(f)}
}

// String is epsilon as it was written; ParseEpsilon reads it back. A factor
// prints as its logarithm.
func (e Epsilon) String() string {
	if e.text == "" {
		return "0"
	}
	return e.text
}

// Exact reports whether Factor is exactly e^eps.
func (e Epsilon) Exact() bool { return e.nats == nil || e.nats.Sign() == 0 }

// Factor is e^eps, exactly where epsilon is a logarithm or 0, else rounded
// down by less than a relative 2^-64. A mechanism within Factor is within e;
// the converse is for Admits to decide.
func (e Epsilon) Factor() *big.Rat {
	if e.factor == nil {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).Set(e.factor)
}

// Nats is epsilon as a float64, to print; rounded up for a logarithm and to
// the nearest for a decimal.
func (e Epsilon) Nats() float64 {
	if e.nats != nil {
		v, _ := e.nats.Float64()
		return v
	}
	return Nats(e.Factor())
}

// Admits reports whether factor <= e^eps, exactly.
func (e Epsilon) Admits(factor *big.Rat) bool {
	if factor.Cmp(one) <= 0 || e.factor != nil && factor.Cmp(e.factor) <= 0 {
		return true
	}
	return !e.Exact() && factor.Cmp(e.above) < 0 && reaches(e.nats, factor)
}

// expDown is e^r rounded down to a rational, relative error below 2^-64.
// Below r = 2^-40 that is 1+r: what is left out is under r^2.
func expDown(r *big.Rat) *big.Rat {
	if r.Cmp(big.NewRat(1, 1<<40)) < 0 {
		return new(big.Rat).Add(one, r)
	}
	return expBound(r, 96, big.ToNegativeInf)
}

// LeastMass is the smallest m with n/m <= e^eps: what n P(S_y) must be for
// an output that some letter gives; 1 where n is 0.
func (e Epsilon) LeastMass(n int64) int64 {
	if n == 0 {
		return 1
	}
	f := e.Factor()
	m := new(big.Int).Mul(big.NewInt(n), f.Denom())
	m.Add(m, new(big.Int).Sub(f.Num(), big.NewInt(1)))
	need := m.Quo(m, f.Num()).Int64()
	// Factor is rounded down, so that need may be one too many.
	if need > 1 && e.Admits(big.NewRat(n, need-1)) {
		need--
	}
	return need
}
