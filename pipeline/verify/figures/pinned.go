package figures

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/digest"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckPinned recomputes the factor of a plan that was followed under the
// counts of the input. That of a plan that was replaced needs that plan.
func CheckPinned(v *subject.View, f *pair.Files) {
	const name = "pinned plan"
	c := v.Report.Pinned
	if c == nil {
		return
	}
	declared := v.Plan.Prior != nil && v.Plan.Prior.Of == "declared"
	switch {
	case c.State != "followed" && c.State != "redesigned" || !digest.Is(c.Plan):
		v.Add(name, false, "the report does not say which plan was followed or replaced")
		return
	case c.State == "redesigned":
		v.Skip(name, "the plan that was replaced is not given")
		return
	case c.Plan != v.Plan.Plan && v.Plan.Other == nil || c.Lacking != 0:
		v.Add(name, false, "the plan that was followed is another one")
		return
	case declared || v.Empty() || c.Factor == "" && v.Report.Records == 0:
		v.Add(name, c.Factor == "", "%s", verdict.Either(c.Factor == "", "no counts move it", "no counts move it, and the report states a factor"))
		return
	case f.In == nil || v.Pairs == nil || v.Rows == nil:
		v.Skip(name, verdict.Either(f.In == nil, "no input", "the rows are not known"))
		return
	}
	tonight := v.Pairs.In
	if v.Plan.Prior != nil {
		scaled, ok := exact.Smoothed(tonight, v.Plan.Prior.Smooth)
		if !ok {
			v.Add(name, false, "what was added to the counts is no share")
			return
		}
		tonight = scaled
	}
	t, known := exact.ParseTarget(v.Plan.Epsilon.Target)
	most := exact.Most(v.Rows, tonight, exact.Sum(tonight), len(v.Plan.Outputs))
	log, _ := exact.Log(most, 128)
	nats, _ := log.Float64()
	var w verdict.Faults
	w.Match(c.Factor == most.RatString() && exact.Nats(c.Nats, most), "the factor under the counts of the input")
	if !c.Holds || !known || !t.Admits(most) {
		w.Addf("the plan does not keep epsilon under the counts of the input, and was followed")
	}
	if known {
		w.Match(math.Abs(c.Room-math.Expm1(t.Float()-nats)) <= 1e-8*(1+math.Abs(c.Room)), "the room that is left")
	}
	v.Settle(name, w, "under the counts of the input its factor is %s, within epsilon", most.RatString())
}
