package verify

import "math"

// A pinnedClaim is what the report says of the plan of an earlier night.
type pinnedClaim struct {
	State   string  `json:"state"`
	Plan    string  `json:"plan_sha256"`
	Factor  string  `json:"factor"`
	Nats    float64 `json:"nats"`
	Holds   bool    `json:"holds"`
	Room    float64 `json:"room"`
	Lacking int     `json:"lacking"`
}

// following makes of a run that follows a plan one that applies it.
func (v *verifier) following() {
	if p := v.report.Pinned; p != nil && p.State == "followed" && v.report.Command == "run" {
		v.report.Command = "apply"
	}
}

// checkPinned recomputes the factor of a plan that was followed under the
// counts of the input. That of a plan that was replaced needs that plan.
func (v *verifier) checkPinned(f *files) {
	const name = "pinned plan"
	c := v.report.Pinned
	if c == nil {
		return
	}
	declared := v.plan.Prior != nil && v.plan.Prior.Of == "declared"
	switch {
	case c.State != "followed" && c.State != "redesigned" || !isSum(c.Plan):
		v.add(name, false, "the report does not say which plan was followed or replaced")
		return
	case c.State == "redesigned":
		v.skip(name, "the plan that was replaced is not given")
		return
	case c.Plan != v.plan.Plan && v.plan.Other == nil || c.Lacking != 0:
		v.add(name, false, "the plan that was followed is another one")
		return
	case declared || v.empty() || c.Factor == "" && v.report.Records == 0:
		v.add(name, c.Factor == "", "%s", either(c.Factor == "", "no counts move it", "no counts move it, and the report states a factor"))
		return
	case f.in == nil || v.pairs == nil || v.rows == nil:
		v.skip(name, either(f.in == nil, "no input", "the rows are not known"))
		return
	}
	tonight := v.pairs.in
	if v.plan.Prior != nil {
		scaled, ok := smoothed(tonight, v.plan.Prior.Smooth)
		if !ok {
			v.add(name, false, "what was added to the counts is no share")
			return
		}
		tonight = scaled
	}
	t, known := parseTarget(v.plan.Epsilon.Target)
	most := mostOf(v.rows, tonight, sum(tonight), len(v.plan.Outputs))
	log, _ := logOf(most, 128)
	nats, _ := log.Float64()
	var w wrong
	w.match(c.Factor == most.RatString() && natsOf(c.Nats, most), "the factor under the counts of the input")
	if !c.Holds || !known || !t.admits(most) {
		w.addf("the plan does not keep epsilon under the counts of the input, and was followed")
	}
	if known {
		w.match(math.Abs(c.Room-math.Expm1(t.float()-nats)) <= 1e-8*(1+math.Abs(c.Room)), "the room that is left")
	}
	v.settle(name, w, "under the counts of the input its factor is %s, within epsilon", most.RatString())
}
