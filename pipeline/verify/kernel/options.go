package kernel

import (
	"cmp"
	"math/big"
)

// options: the plan is of what was asked for, as far as the run's options say.
func (p *proof) options() {
	const name = "asked for"
	o, e := p.Claimed.Options, p.Plan.Epsilon
	var w Faults
	asked := o["epsilon"]
	if f := o["max-factor"]; f != "" {
		asked = "log(" + f + ")"
	}
	if asked == "least" {
		asked = o["at-most"]
		w.Match(e.Least || p.Plan.Empty(), "the target, which is the least by the options,")
	}
	w.Match(asked == "" || asked == cmp.Or(e.Asked, e.Target), "the target, which the options have otherwise,")
	if h := p.Plan.Headroom; o["headroom"] != "" && h != nil {
		given, ok := Share(o["headroom"])
		w.Match(ok && given.RatString() == h.Share, "the headroom, which the options have otherwise,")
	}
	if only := o["given-only"]; only != "" && !p.Claimed.Followed {
		w.Match((only == "true") == p.Plan.Given.Only, "who is promised nothing, which the options have otherwise,")
	}
	if only := o["prior-only"]; only != "" && !p.Claimed.Followed && p.Plan.Prior != nil {
		w.Match((only == "true") == p.Plan.Prior.Only, "whose frequencies were given up, which the options have otherwise,")
	}
	if !e.Least && !p.Claimed.Followed {
		w.Match(p.lowered(), "the epsilon asked for, of which the target is no part that keeps that of all columns,")
	}
	p.Settle(name, w, "the plan is of the epsilon and for the observers that were asked for")
}

// lowered reports whether the target is the epsilon that was asked for or, where all columns
// were scaled to keep one together, that times the scale, rounded down to nine decimals.
func (p *proof) lowered() bool {
	e := p.Plan.Epsilon
	scale, ok := Fraction(cmp.Or(p.Claimed.Scale, "1"))
	from, known := ParseTarget(cmp.Or(e.Asked, e.Target))
	to, stated := ParseTarget(e.Target)
	switch {
	case !ok || scale.Cmp(one) >= 0:
		return ok && scale.Cmp(one) == 0 && e.Asked == ""
	case !known || !stated || to.Nats == nil || e.Asked == "":
		return false
	}
	whole := from.Nats
	if whole == nil {
		_, high := Log(from.Factor, 128)
		whole, _ = high.Rat(nil)
	}
	gap, _ := new(big.Rat).Sub(new(big.Rat).Mul(whole, scale), to.Nats).Float64()
	return gap >= -1e-12 && gap <= 2e-9
}
