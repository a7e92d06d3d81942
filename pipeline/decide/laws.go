package decide

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// Laws are the mechanisms of a plan that has letters.
func Laws(p *plan.Plan) []*mechanism.Mechanism {
	if p.Strata == nil {
		return []*mechanism.Mechanism{p.Mechanism}
	}
	laws, _ := p.Strata.Laws()
	return laws
}

// Reach is what may become of letter x, in any stratum.
func Reach(p *plan.Plan, x int) (outputs []uint16) {
	laws := Laws(p)
	if len(laws) == 1 {
		return laws[0].Row(x).Output
	}
	for _, m := range laws {
		outputs = append(outputs, m.Row(x).Output...)
	}
	slices.Sort(outputs)
	return slices.Compact(outputs)
}
