package verify

import (
	"math/big"
	"regexp"
)

// A planHeadroom is what a plan was designed for below its epsilon.
type planHeadroom struct {
	Share  string `json:"share"`
	Target string `json:"target"`
}

// checkHeadroom holds the factor to e^target, and (1 + share) e^target to
// e^epsilon. Where epsilon is a decimal, e^epsilon is rounded down.
func (v *verifier) checkHeadroom() {
	const name = "headroom"
	h := v.plan.Headroom
	if h == nil {
		if v.report.Design.Spare != "" {
			v.add(name, false, "the report states headroom that the plan does not have")
		}
		return
	}
	share, ok := fraction(h.Share)
	t, known := parseTarget(v.plan.Epsilon.Target)
	lower, stated := parseTarget(h.Target)
	var w wrong
	if !ok || share.Sign() <= 0 || !known || !stated || lower.factor == nil {
		v.add(name, false, "it is no share, or its target no log(p/q)")
		return
	}
	whole := new(big.Rat).Mul(lower.factor, new(big.Rat).Add(share, one))
	if !t.admits(whole) {
		w.addf("the factor designed for leaves less")
	}
	if t.factor != nil {
		w.match(whole.Cmp(t.factor) == 0, "the factor designed for")
	}
	if asked := v.report.option("headroom"); asked != "" {
		given, ok := shareOf(asked)
		w.match(ok && given.Cmp(share) == 0, "the headroom, which the options have otherwise,")
	}
	w.match(v.report.Design.Spare == h.Share, "the headroom that the report states")
	if v.most != nil && !lower.admits(v.most) {
		w.addf("the factor reached is above the one designed for")
	}
	v.settle(name, w, "shares of letters may fall to 1/(1+%s) of what they were before epsilon fails", h.Share)
}

var shareForm = regexp.MustCompile(`^(\d+\.?\d*|\.\d+|\d+/\d*[1-9]\d*)(%?)$`)

// shareOf reads "10%", "0.1" or "1/10".
func shareOf(s string) (*big.Rat, bool) {
	m := shareForm.FindStringSubmatch(s)
	if m == nil || len(s) > 25 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(m[1])
	if ok && m[2] != "" {
		r.Quo(r, big.NewRat(100, 1))
	}
	return r, ok
}
