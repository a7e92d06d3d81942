package account

import (
	"fmt"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// ownReading says what the prior is and, where it is not the counts of this
// file, what is leaked relative to these.
func ownReading(r *report.Report, part bool, p *plan.Plan) {
	r.Prior.Of = "this file"
	switch {
	case p.Of == plan.Declared:
		r.Prior.Of = "declared prior"
	case p.Of == plan.Smoothed:
		r.Prior.Of, r.Prior.Smooth = "this file, smoothed", p.Smooth
	case part && r.Records > 0:
		r.Prior.Of = "the plan"
	}
	if r.Prior.Only = p.PriorOnly; r.Prior.Of == "declared prior" {
		for _, s := range r.Declared {
			if s.Flag == "prior" {
				r.Prior.File = s.Name
			}
		}
	}
	if p.Made != nil {
		r.Prior.Counts = report.Counts(p.Records().Counts())
	}
	if p.Of == "" || p.Empty() || p.Records().Total() == 0 {
		return
	}
	own := p.Sampled().Factor()
	r.Prior.Own, r.Prior.OwnNats = own.RatString(), mechanism.Nats(own)
}

// priorWarnings are what a reader must not overlook of the two readings.
func priorWarnings(r *report.Report, part bool) (out []string) {
	if r.Prior.Only {
		out = append(out, "nothing is promised relative to this file's own counts: they were given up (--prior-only)")
	}
	if own := r.Prior.Own; own != "" && r.Prior.Only {
		what := map[string]string{"declared prior": "the prior that was declared, not to this file's counts",
			"this file, smoothed": "counts to which " + r.Prior.Smooth + " was added for every value"}[r.Prior.Of]
		out = append(out, fmt.Sprintf("epsilon is relative to %s: relative to its own it is %s nats (factor %s)", what,
			report.RoundUp(r.Prior.OwnNats, 4), own))
	}
	if part && r.Records > 0 {
		out = append(out, "this file is said to be a part of the data that the plan was made from: epsilon is relative to "+
			"the whole, and nothing is claimed relative to the part")
	}
	if m := r.Other; m != nil {
		out = append(out, fmt.Sprintf("%s with fewer than %d records (%d records in all) %s treated as %s; which they are "+
			"was chosen from the data", report.Several(m.Letters, "value", "values"), m.MinCount, m.Records,
			map[bool]string{true: "is", false: "are"}[m.Letters == 1], m.Label))
		if m.Adopted > 0 {
			out = append(out, fmt.Sprintf("%s not in the plan and treated as %s: the plan was extended, which leaves its "+
				"factor as it is", report.Several(m.Adopted, "value of this file was", "values of this file were"), m.Label))
		}
		if m.Lent > 0 {
			out = append(out, fmt.Sprintf("%s judged by the row of %s: floor and utility say nothing of their own",
				report.Several(m.Lent, "value that the order has no row for is", "values that the order has no row for are"),
				m.Label))
		}
	}
	b := r.Population
	switch {
	case b == nil:
	case !b.Bounded && len(b.Strata) > 0:
		out = append(out, "the records bound nothing about the population of some stratum: take more of them, a larger "+
			"--confidence, or fewer strata")
	case !b.Bounded:
		out = append(out, "the records bound nothing about the population: take more of them, or a larger --confidence")
	case b.Domain == "observed":
		out = append(out, "the bound for the population holds if no value can occur but those of this file; declare what "+
			"can occur with --domain")
	}
	return out
}

// rareReading says how many letters and records were counted as OTHER.
func rareReading(r *report.Report, p *plan.Plan) {
	if p.Other == nil {
		return
	}
	r.Other = &report.Other{Label: p.Other.Label, MinCount: p.Other.MinCount, Letters: len(p.Other.Merged),
		Adopted: len(p.Other.Adopted), Lent: len(p.Other.Lent) + len(p.Other.Adopted)}
	place := p.Places()
	for _, l := range p.Other.Merged {
		r.Other.Records += p.Records().Count(place[report.Label{Text: l}])
	}
}

// unseen counts the letters of a plan without a record, here or in what the
// prior is: epsilon says nothing of them, unless they are drawn like a letter
// that has one. Late are those that have records here only.
func unseen(p *plan.Plan, here []int64) (unseen, late int) {
	labels := p.InputLabels()
	alike := map[string]bool{}
	if o := p.Other; o != nil {
		alike[o.Label] = true
		for _, l := range o.Merged {
			alike[l] = true
		}
		for _, l := range o.Adopted {
			alike[l] = true
		}
	}
	group, groupHere := int64(0), int64(0)
	of := func(x int) (int64, int64) {
		if l := labels[x]; !l.Null && alike[l.Text] {
			return group, groupHere
		}
		return p.Prior.Count(x), here[x]
	}
	for x, l := range labels {
		if !l.Null && alike[l.Text] {
			group, groupHere = group+p.Prior.Count(x), groupHere+here[x]
		}
	}
	for x := range here {
		switch weight, n := of(x); {
		case weight == 0 && n == 0:
			unseen++
		case weight == 0 && here[x] > 0:
			late++
		}
	}
	return unseen, late
}
