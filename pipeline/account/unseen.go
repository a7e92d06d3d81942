package account

import (
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// unseen counts the letters of a plan without a record, here or in what the
// prior is: epsilon says nothing of them, unless they are drawn like a letter
// that has one. Late are those that have records here only.
func unseen(p *plan.Plan, d *count.Domain) (unseen, late int) {
	here := recordsHere(p, d)
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
		if l := p.InputLabels()[x]; !l.Null && alike[l.Text] {
			return group, groupHere
		}
		return p.Prior.Count(x), here[x]
	}
	for x, l := range p.InputLabels() {
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

// recordsHere are the records of this file by the letters of the plan.
func recordsHere(p *plan.Plan, d *count.Domain) []int64 {
	counts := d.Prior
	if d.Of != "" {
		counts = d.Sample
	}
	n := map[report.Label]int64{}
	for x, l := range report.Labels(d.Letters.Label, d.Letters.Null) {
		if x < counts.Letters() {
			n[l] = counts.Count(x)
		}
	}
	here := make([]int64, p.Inputs.Len())
	for x, l := range p.InputLabels() {
		here[x] = n[l]
	}
	return here
}
