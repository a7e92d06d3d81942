package decide

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// tellsNothing reports whether what a plan publishes does not depend on the record, though
// epsilon leaves more and records differ: epsilon 0 asks for such noise, and of one value,
// or one in each stratum, there is nothing to tell.
func (w *problem) tellsNothing(p *plan.Plan) bool {
	differ := slices.ContainsFunc(w.d.Groups, func(g plan.Group) bool {
		_, most := g.Prior.Most()
		return most < g.Prior.Total()
	})
	if !differ || p.Epsilon.Factor().Cmp(one) == 0 || p.Factor().Cmp(one) > 0 {
		return false
	}
	_, mixed := mechanism.MixedLeakage(p.Parts()).Max() // for whoever does not know the stratum
	return mixed.Cmp(one) == 0
}

// refuseNothing refuses such a plan.
func (w *problem) refuseNothing(p *plan.Plan) error {
	if !w.tellsNothing(p) {
		return nil
	}
	what, hint := "design "+p.Kind, "give a larger epsilon or --design auto; --epsilon 0 publishes noise on purpose"
	if w.parted {
		what, hint = "the design for strata", w.help()
	}
	return fault.New(fault.Privacy, hint,
		"at epsilon %s %s tells nothing: what it publishes does not depend on the record", p.Target, what)
}
