package exact

import (
	"math"
	"math/big"
	"regexp"
	"strings"
)

// A Target is the bound that was asked for: a decimal in nats, or the
// logarithm of a factor.
type Target struct{ Nats, Factor *big.Rat }

// Admits reports whether f <= e^target, exactly. A decimal other than 0 is
// never the logarithm of a fraction (Lindemann), so ever tighter enclosures
// decide.
func (t Target) Admits(f *big.Rat) bool {
	switch {
	case t.Factor != nil:
		return f.Cmp(t.Factor) <= 0
	case f.Cmp(One) <= 0 || t.Nats.Sign() == 0:
		return f.Cmp(One) <= 0
	}
	for prec := uint(128); ; prec *= 2 {
		lo, hi := Log(f, prec)
		if r, _ := hi.Rat(nil); r.Cmp(t.Nats) <= 0 {
			return true
		}
		if r, _ := lo.Rat(nil); r.Cmp(t.Nats) > 0 {
			return false
		}
	}
}

// Float is the target in nats, rounded up.
func (t Target) Float() float64 {
	if t.Factor == nil {
		v, _ := t.Nats.Float64()
		return v
	}
	_, hi := Log(t.Factor, 256)
	v, _ := hi.Float64()
	return v + natsSlack
}

// ParseTarget reads a decimal or log(p/q).
func ParseTarget(s string) (t Target, ok bool) {
	number := func(s string) (*big.Rat, bool) {
		if len(s) > 250 || !decimal.MatchString(s) && !Ratio.MatchString(s) {
			return nil, false
		}
		return new(big.Rat).SetString(s)
	}
	if inner, isLog := strings.CutPrefix(s, "log("); isLog && strings.HasSuffix(inner, ")") {
		t.Factor, ok = number(strings.TrimSuffix(inner, ")"))
		return t, ok && t.Factor.Cmp(One) >= 0
	}
	t.Nats, ok = number(s)
	return t, ok && decimal.MatchString(s)
}

var (
	decimal = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)
	Ratio   = regexp.MustCompile(`^\d+/\d*[1-9]\d*$`)
)

// Exp is e^target.
func (t Target) Exp() float64 {
	if t.Factor != nil {
		f, _ := t.Factor.Float64()
		return f
	}
	return math.Exp(t.Float())
}
