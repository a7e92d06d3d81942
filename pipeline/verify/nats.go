package verify

import (
	"math"
	"math/big"
	"regexp"
	"strings"
)

// natsSlack is how far a logarithm may be rounded up, in nats.
const natsSlack = 1e-9

// natsOf reports whether v is log f, f >= 1, rounded up by at most natsSlack.
func natsOf(v float64, f *big.Rat) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) || f.Cmp(one) < 0 {
		return false
	}
	_, hi := logOf(f, 256)
	slack, _ := new(big.Float).Sub(new(big.Float).SetFloat64(v), hi).Float64()
	return slack >= 0 && slack <= natsSlack
}

var one = big.NewRat(1, 1)

// logOf encloses log f, f >= 1, within about 2^(16-prec) of its size plus 1.
//
// f = 2^k m with 1 <= m < 2 and log f = k log 2 + log m, where
// log m = 2 (z + z^3/3 + z^5/5 + ...), z = (m-1)/(m+1) <= 1/3. Partial sums
// lie below, and what is left out is under 9/8 of its first term. Sums are
// rounded to nearest with 64 bits to spare, and a margin of 2^-prec, larger
// than all roundings together, is put on both sides.
func logOf(f *big.Rat, prec uint) (lo, hi *big.Float) {
	work := prec + 64
	k := f.Num().BitLen() - f.Denom().BitLen()
	m := new(big.Rat).SetFrac(f.Num(), new(big.Int).Lsh(f.Denom(), uint(max(k, 0))))
	if m.Cmp(one) < 0 {
		k--
		m.Mul(m, big.NewRat(2, 1))
	}
	total := series(m, work)
	if k > 0 {
		total.Add(total, new(big.Float).Mul(series(big.NewRat(2, 1), work), big.NewFloat(float64(k))))
	}
	if total.Sign() == 0 {
		return total, total
	}
	margin := new(big.Float).SetMantExp(big.NewFloat(1), 16-int(prec))
	margin.Mul(margin, new(big.Float).Add(total, big.NewFloat(1)))
	return new(big.Float).Sub(total, margin), new(big.Float).Add(total, margin)
}

// series is log m for 1 <= m <= 2.
func series(m *big.Rat, work uint) *big.Float {
	float := func() *big.Float { return new(big.Float).SetPrec(work) }
	z := float().SetRat(new(big.Rat).Quo(new(big.Rat).Sub(m, one), new(big.Rat).Add(m, one)))
	sum, power, square := float().Set(z), float().Set(z), float().Mul(z, z)
	for i := int64(3); power.Sign() != 0; i += 2 {
		power.Mul(power, square)
		term := float().Quo(power, float().SetInt64(i))
		if term.MantExp(nil) < -int(work) {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Mul(sum, float().SetInt64(2))
}

// A target is the bound that was asked for: a decimal in nats, or the
// logarithm of a factor.
type target struct{ nats, factor *big.Rat }

var (
	decimal = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)
	ratio   = regexp.MustCompile(`^\d+/\d*[1-9]\d*$`)
)

func parseTarget(s string) (t target, ok bool) {
	number := func(s string) (*big.Rat, bool) {
		if len(s) > 250 || !decimal.MatchString(s) && !ratio.MatchString(s) {
			return nil, false
		}
		return new(big.Rat).SetString(s)
	}
	if inner, isLog := strings.CutPrefix(s, "log("); isLog && strings.HasSuffix(inner, ")") {
		t.factor, ok = number(strings.TrimSuffix(inner, ")"))
		return t, ok && t.factor.Cmp(one) >= 0
	}
	t.nats, ok = number(s)
	return t, ok && decimal.MatchString(s)
}

// admits reports whether f <= e^target, exactly. A decimal other than 0 is
// never the logarithm of a fraction (Lindemann), so ever tighter enclosures
// decide.
func (t target) admits(f *big.Rat) bool {
	switch {
	case t.factor != nil:
		return f.Cmp(t.factor) <= 0
	case f.Cmp(one) <= 0 || t.nats.Sign() == 0:
		return f.Cmp(one) <= 0
	}
	for prec := uint(128); ; prec *= 2 {
		lo, hi := logOf(f, prec)
		if r, _ := hi.Rat(nil); r.Cmp(t.nats) <= 0 {
			return true
		}
		if r, _ := lo.Rat(nil); r.Cmp(t.nats) > 0 {
			return false
		}
	}
}

// lowered reports whether the plan's target is the one asked for or, where all
// columns of the run were scaled to keep a joint epsilon, that times the scale,
// rounded down to nine decimals.
func (v *verifier) lowered(asked string) bool {
	j := v.report.Joint
	if j == nil || j.Scale == "" || j.Scale == "1" {
		return asked == v.plan.Epsilon.Target
	}
	scale, ok := fraction(j.Scale)
	from, known := parseTarget(asked)
	to, stated := parseTarget(v.plan.Epsilon.Target)
	if !ok || !known || !stated || to.nats == nil || scale.Cmp(one) > 0 {
		return false
	}
	whole := from.nats
	if whole == nil {
		_, high := logOf(from.factor, 128)
		whole, _ = high.Rat(nil)
	}
	gap, _ := new(big.Rat).Sub(new(big.Rat).Mul(whole, scale), to.nats).Float64()
	return gap >= -1e-12 && gap <= 2e-9
}

// checkTarget compares the factor reached with the epsilon that was asked for.
func (v *verifier) checkTarget() {
	const name = "target"
	t, ok := parseTarget(v.plan.Epsilon.Target)
	var w wrong
	if !ok {
		w.addf("the target is neither a decimal nor log(p/q)")
	}
	w.match(v.report.Epsilon.Target == v.plan.Epsilon.Target, "the report's target, which the plan has otherwise")
	if asked := v.report.option("epsilon"); asked != "" {
		w.match(v.lowered(asked), "the target, which the options have otherwise")
	}
	if asked := v.report.option("max-factor"); asked != "" {
		w.match(v.lowered("log("+asked+")"), "the target, which the options have otherwise")
	}
	if v.most == nil && len(w) == 0 {
		v.skip(name, "the factor is not known")
		return
	}
	if ok && v.most != nil && !t.admits(v.most) {
		w.addf("the factor reached is above e^target")
	}
	v.settle(name, w, "the factor reached is at most e^epsilon of the epsilon asked for, exactly")
}
