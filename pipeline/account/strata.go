package account

import (
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// givenStrata are the figures of every stratum; nil where there are none.
func givenStrata(p *plan.Plan, t *Written) *report.Strata {
	s := p.Strata
	if s == nil {
		return nil
	}
	_, overall := p.Leakage.Max()
	out := &report.Strata{Column: s.Column, Function: s.Function, Min: s.Least, Rule: s.Rule,
		Overall: overall.RatString(), Nats: mechanism.Nats(overall), Tried: []report.Weighed{}, Groups: []report.Stratum{}}
	for _, w := range s.Tried {
		e := report.Weighed(w)
		if e.Rule == "" {
			e.Rule = "none"
		}
		out.Tried = append(out.Tried, e)
	}
	outputs := p.OutputLabels()
	for i, g := range s.Groups {
		y, factor := g.Leakage.Max()
		e := report.Stratum{Names: slices.Concat([]report.Label{}, g.Names), Rest: g.Rest, Records: g.Prior.Total(), Factor: factor.RatString(), Nats: mechanism.Nats(factor),
			Rank: g.Rank, Value: g.Value, Expected: g.Expected}
		if y >= 0 {
			e.Output = outputs[y]
		}
		if g.Rest {
			out.Merged = len(g.Names)
		}
		for _, c := range g.Prior.Counts() {
			if c > 0 {
				e.Letters++
			}
		}
		if t.Strata != nil {
			e.Written = t.Strata[i]
		}
		out.Groups = append(out.Groups, e)
	}
	return out
}

// strataWarnings are what a reader must not overlook of strata.
func strataWarnings(r *report.Report, p *plan.Plan) (out []string) {
	s := r.Strata
	if s == nil {
		return nil
	}
	if _, f := p.Leakage.Max(); !p.Epsilon.Admits(f) {
		out = append(out, fmt.Sprintf("whoever does not know %s may learn more from one value than epsilon: %s nats, for the value tells of the stratum, too", s.Given(), report.RoundUp(s.Nats, 4)))
	}
	small, single := 0, 0
	for _, g := range s.Groups {
		if g.Records < smallSet {
			small++
		}
		if g.Letters == 1 && g.Records > 0 {
			single++
		}
	}
	if small > 0 {
		out = append(out, fmt.Sprintf("%s fewer than %d records: such frequencies say little of anything else", figure.Several(small, "group of strata has", "groups of strata have"), smallSet))
	}
	if single > 0 {
		out = append(out, fmt.Sprintf("in %s all records hold one value: whoever knows the stratum knows it", figure.Several(single, "group of strata", "groups of strata")))
	}
	return out
}
