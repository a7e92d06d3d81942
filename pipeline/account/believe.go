package account

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// gridShares are the round shares whose caps every report shows.
var gridShares = []int64{1, 5, 10, 25, 50} // in 100

// believe fills in what an observer who knows the frequencies can come to
// believe, and what an analyst can estimate, where every row is drawn anew.
func believe(r *report.Report, p *plan.Plan, anew bool) {
	r.Most = min(p.Epsilon.FactorUp(), math.MaxFloat64)
	r.Grid = Grid(p.Epsilon)
	r.Caps = []report.Cap{}
	if p.Empty() {
		return
	}
	beliefs(r, p, anew)
	if anew && p.Prior.Total() > 0 {
		r.Analysts = analysts(p, r.Shows(p.Given.Column))
	}
}

// compared is the table of letters up to which a mechanism's rank is looked for; beyond, that
// would take longer than the run.
const compared = 1 << 16

// analysts is what can be estimated from the output. Whoever sees the stratum
// estimates in each, and has the share of a letter where each has it; where
// strata with mechanisms of their own are not seen, it is not computed.
func analysts(p *plan.Plan, shown bool) *report.Analysts {
	laws, _ := p.Laws()
	if len(laws)*p.Inputs.Len()*p.Outputs.Len() > compared || len(laws) > 1 && !shown {
		return nil
	}
	out := &report.Analysts{Letters: p.Inputs.Len(), Rank: p.Inputs.Len()}
	lone := make([]int, p.Inputs.Len())
	for _, m := range laws {
		span := estimate.SpanOf(m)
		rank, alone := span.Rank(), span.Alone()
		out.Rank = min(out.Rank, rank)
		for x, ok := range alone {
			if ok {
				lone[x]++
			}
		}
	}
	for _, n := range lone {
		if n == len(laws) {
			out.Estimable++
		}
	}
	return out
}

// Grid is min(1, e^epsilon share) for a few shares, at the epsilon asked for:
// a declared choice that tells nothing of the counts.
func Grid(e mechanism.Epsilon) []report.GridCap {
	out := []report.GridCap{}
	for _, s := range gridShares {
		out = append(out, report.GridCap{Share: float64(s) / 100, Cap: min(1, math.Nextafter(e.FactorUp()*float64(s)/100,
			math.Inf(1)))})
	}
	return out
}

// certainty is of how many records the outputs leave no doubt, where every row is drawn anew; nil where
// there are no records.
func certainty(allowed bool, p *plan.Plan, anew bool) *report.Certainty {
	if p.Empty() || p.Records().Total() == 0 {
		return nil
	}
	if !anew {
		return &report.Certainty{Allowed: allowed}
	}
	c := decide.CertaintyOf(p)
	out := &report.Certainty{Confirmed: &c.Confirmed, Unchanged: &c.Unchanged, Allowed: allowed}
	if c.Nothing && p.Factor().Cmp(big.NewRat(1, 1)) == 0 {
		out.Nothing = text().Must("nothing", p)
	}
	return out
}
