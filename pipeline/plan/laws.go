package plan

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Laws are the mechanisms of a plan that has letters.
func (p *Plan) Laws() []*mechanism.Mechanism {
	if p.Strata == nil {
		return []*mechanism.Mechanism{p.Mechanism}
	}
	laws, _ := p.Strata.Laws()
	return laws
}

// Reach is what may become of letter x, in any stratum.
func (p *Plan) Reach(x int) (outputs []uint16) {
	laws := p.Laws()
	if len(laws) == 1 {
		return laws[0].Row(x).Output
	}
	for _, m := range laws {
		outputs = append(outputs, m.Row(x).Output...)
	}
	slices.Sort(outputs)
	return slices.Compact(outputs)
}
