package account

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// givenStrata are the figures of every stratum; nil where there are none. The
// columns of the report are known.
func givenStrata(r *report.Report, p *plan.Plan, t *plan.Written, anew bool) *report.Strata {
	if p.Given.Column == "" {
		return nil
	}
	shown, sampled := r.Shows(p.Given.Column), p.Sampled()
	out := &report.Strata{Column: p.Given.Column, Published: shown, GivenOnly: p.Given.Only,
		Min: p.Given.Least, Merged: p.Merged(), Rule: p.Given.Rule,
		Observed: observed(p), Groups: []report.Stratum{}}
	if p.Of != "" {
		own := observed(sampled)
		out.Own = &own
	}
	if shown { // relative to the records, whatever the prior is
		together, alone := mechanism.Together(sampled.Parts()), mechanism.Alone(sampled.Parts())
		out.Together, out.TogetherNats = together.RatString(), mechanism.Nats(together)
		out.Alone, out.AloneNats = alone.RatString(), mechanism.Nats(alone)
	}
	outputs, stands := p.OutputLabels(), plan.Stands(p.Inputs, p.Outputs)
	for i, g := range p.Groups {
		y, factor := g.Leakage.Max()
		e := report.Stratum{Names: slices.Concat([]report.Label{}, g.Names), Rest: g.Rest, Records: p.RecordsOf(i).Total(),
			Factor: factor.RatString(), Nats: mechanism.Nats(factor),
			Rank: g.Rank, Value: g.Value, Expected: g.Expected}
		if anew {
			e.Shift = exactly(g.Mechanism.Shares(p.RecordsOf(i), stands).Shift)
		}
		if y >= 0 {
			e.Output = outputs[y]
		}
		for _, c := range p.RecordsOf(i).Counts() {
			if c > 0 {
				e.Letters++
			}
		}
		if p.Made != nil {
			e.Counts = report.Counts(p.RecordsOf(i).Counts())
		}
		if t.Groups != nil {
			e.Written = t.Groups[i]
		}
		out.Groups = append(out.Groups, e)
	}
	return out
}

// observed is what groups tell whoever knows the group of a record, and whoever does not.
func observed(p *plan.Plan) report.Observed {
	_, known := p.Known()
	_, overall := mechanism.MixedLeakage(p.Parts()).Max()
	return report.Observed{Known: known.RatString(), KnownNats: mechanism.Nats(known), Overall: overall.RatString(),
		OverallNats: mechanism.Nats(overall)}
}
