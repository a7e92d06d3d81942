package account

import (
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

// rareReading says which letter rare values are, and how many records it has.
func rareReading(r *report.Report, p *plan.Plan) {
	if p.Other == nil {
		return
	}
	r.Other = &report.Other{Label: p.Other.Label, MinCount: p.Other.MinCount}
	for x, l := range p.Inputs.Label {
		if p.Other.Has(l) {
			r.Other.Records += p.Records().Count(x)
		}
	}
}

// unseen counts the letters of a plan without a record, here or in what the
// prior is: epsilon says nothing of them. Late are those that have records here only.
func unseen(p *plan.Plan, here []int64) (unseen, late int) {
	for x, n := range here {
		switch weight := p.Prior.Count(x); {
		case weight == 0 && n == 0:
			unseen++
		case weight == 0:
			late++
		}
	}
	return unseen, late
}
