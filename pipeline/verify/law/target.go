package law

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckTarget compares the factor reached with the epsilon that was asked for.
func CheckTarget(v *subject.View) {
	const name = "target"
	t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
	var w verdict.Faults
	if !ok {
		w.Addf("the target is neither a decimal nor log(p/q)")
	}
	w.Match(v.Report.Epsilon.Target == v.Plan.Epsilon.Target, "the report's target, which the plan has otherwise")
	if asked := v.Report.Option("epsilon"); asked != "" {
		w.Match(v.Lowered(asked), "the target, which the options have otherwise")
	}
	if asked := v.Report.Option("max-factor"); asked != "" {
		w.Match(v.Lowered("log("+asked+")"), "the target, which the options have otherwise")
	}
	if v.Most == nil && len(w) == 0 {
		v.Skip(name, "the factor is not known")
		return
	}
	if ok && v.Most != nil && !t.Admits(v.Most) {
		w.Addf("the factor reached is above e^target")
	}
	v.Settle(name, w, "the factor reached is at most e^epsilon of the epsilon asked for, exactly")
}
