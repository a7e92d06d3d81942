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
