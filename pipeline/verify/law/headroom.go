package law

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckHeadroom holds the factor to e^target, and (1 + share) e^target to
// e^epsilon. Where epsilon is a decimal, e^epsilon is rounded down.
func CheckHeadroom(v *subject.View) {
	const name = "headroom"
	h := v.Plan.Headroom
	if h == nil {
		if v.Report.Design.Spare != "" {
			v.Add(name, false, "the report states headroom that the plan does not have")
		}
		return
	}
	share, ok := exact.Fraction(h.Share)
	t, known := exact.ParseTarget(v.Plan.Epsilon.Target)
	lower, stated := exact.ParseTarget(h.Target)
	var w verdict.Faults
	if !ok || share.Sign() <= 0 || !known || !stated || lower.Factor == nil {
		v.Add(name, false, "it is no share, or its target no log(p/q)")
		return
	}
	whole := new(big.Rat).Mul(lower.Factor, new(big.Rat).Add(share, exact.One))
	if !t.Admits(whole) {
		w.Addf("the factor designed for leaves less")
	}
	if t.Factor != nil {
		w.Match(whole.Cmp(t.Factor) == 0, "the factor designed for")
	}
	if asked := v.Report.Option("headroom"); asked != "" {
		given, ok := exact.Share(asked)
		w.Match(ok && given.Cmp(share) == 0, "the headroom, which the options have otherwise,")
	}
	w.Match(v.Report.Design.Spare == h.Share, "the headroom that the report states")
	if v.Most != nil && !lower.Admits(v.Most) {
		w.Addf("the factor reached is above the one designed for")
	}
	v.Settle(name, w, "shares of letters may fall to 1/(1+%s) of what they were before epsilon fails", h.Share)
}
