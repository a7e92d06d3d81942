package account

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// certainty is of how many records the outputs leave no doubt; nil where there
// are no records.
func certainty(allowed bool, p *plan.Plan) *report.Certainty {
	if p.Empty() || p.Records().Total() == 0 {
		return nil
	}
	c := decide.CertaintyOf(p)
	out := &report.Certainty{Confirmed: &c.Confirmed, Kept: &c.Kept, Unchanged: &c.Unchanged, Allowed: allowed}
	if c.Nothing && p.Factor().Cmp(big.NewRat(1, 1)) == 0 {
		out.Nothing = whyNothing(p)
	}
	return out
}

// whyNothing says why the outputs of a plan tell nothing, and what would help.
func whyNothing(p *plan.Plan) string {
	if _, most := p.Records().Most(); most == p.Records().Total() {
		return "all records hold one value, so that there is nothing to tell"
	}
	why := "every value is published as each output equally often; "
	switch {
	case p.NextFactor != nil && p.NextRank > 0:
		return why + fmt.Sprintf("the next better floor, rank %d, needs --max-factor %s (%s nats) with this design",
			p.NextRank, report.FactorUp(p.NextFactor), report.Nats(p.NextFactor))
	case !optimum.Fits(p.Inputs.Len(), p.Outputs.Len()):
		return why + "flat and optimal mechanisms were not searched for so many values: merge values, or try a larger " +
			"epsilon or --floor-by value"
	}
	return why + "a larger epsilon would help, or fewer values, or another floor: tacet frontier shows what each costs"
}
