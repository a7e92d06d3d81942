package account

import (
	"fmt"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// ownReading says what the prior is and, where it is not the counts of this
// file, what is leaked relative to these.
func ownReading(r *report.Report, p *plan.Plan, d *source.Domain) {
	r.Prior.Of = "this file"
	switch {
	case r.Command == "apply":
		r.Prior.Of = "the plan"
	case p.Of == plan.Declared:
		r.Prior.Of = "declared prior"
	case p.Of == plan.Smoothed:
		r.Prior.Of, r.Prior.Smooth = "this file, smoothed", p.Smooth
	}
	own := d.Own
	if own == nil && r.Command != "apply" && p.Of != "" && !p.Empty() && p.Sample.Total() > 0 {
		_, own = p.Mechanism.Leakage(p.Sample).Max()
	}
	if own != nil {
		r.Prior.Own, r.Prior.OwnNats = own.RatString(), mechanism.Nats(own)
	}
}

// priorWarnings are what a reader must not overlook of the two readings.
func priorWarnings(r *report.Report) (out []string) {
	if own := r.Prior.Own; own != "" {
		what := map[string]string{"the plan": "the plan's counts, which are not this file's", "declared prior": "the prior that was declared, not to this file's counts",
			"this file, smoothed": "counts to which " + r.Prior.Smooth + " was added for every letter"}[r.Prior.Of]
		out = append(out, fmt.Sprintf("epsilon is relative to %s: relative to its own it is %s nats (factor %s)", what, report.RoundUp(r.Prior.OwnNats, 4), own))
	}
	if m := r.Other; m != nil {
		out = append(out, fmt.Sprintf("%s with fewer than %d records (%d records in all) %s treated as %s: their utility is that of %[5]s, and which they are was chosen from the data", figure.Several(m.Letters, "letter", "letters"), m.MinCount, m.Records, map[bool]string{true: "is", false: "are"}[m.Letters == 1], m.Label))
		if m.Adopted > 0 {
			out = append(out, fmt.Sprintf("%s not in the plan and treated as %s: the plan was extended, which leaves its factor as it is", figure.Several(m.Adopted, "letter of this file was", "letters of this file were"), m.Label))
		}
	}
	b := r.Population
	switch {
	case b == nil:
	case !b.Bounded && len(b.Strata) > 0:
		out = append(out, "the records bound nothing about the population of some stratum: take more of them, a larger --confidence, or fewer strata")
	case !b.Bounded:
		out = append(out, "the records bound nothing about the population: take more of them, a larger --confidence, or --robust")
	case b.Domain == "observed":
		out = append(out, "the bound for the population holds if no value can occur but those of this file; declare what can occur with --domain")
	}
	return out
}

// rareReading says how many letters and records were counted as OTHER.
func rareReading(r *report.Report, p *plan.Plan) {
	if p.Other == nil {
		return
	}
	r.Other = &report.Other{Label: p.Other.Label, MinCount: p.Other.MinCount, Letters: len(p.Other.Merged), Adopted: len(p.Other.Adopted)}
	place := map[string]int{}
	for x, l := range p.Inputs.Label {
		place[l] = x
	}
	for _, l := range p.Other.Merged {
		r.Other.Records += p.Records().Count(place[l])
	}
}
