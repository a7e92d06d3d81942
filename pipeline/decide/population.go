package decide

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// The rules that bound the leakage of the population.
const (
	byLetters = "letters" // Clopper and Pearson, for every letter
	// a sample of which the mechanism knows nothing: others than the plan's, or a declared prior that
	// alone was held to epsilon
	bySplit = "split"
)

// claim decides by which rules the population is bounded, before anything is
// designed. The order may list the values.
func claim(asked *request.Decision, d *count.Domain, lists bool) *plan.Population {
	if asked.Claim == "" {
		return nil
	}
	q := &plan.Population{Delta: asked.Claim, Rules: []string{byLetters}, Letters: d.Letters.Len(),
		Domain: "observed"}
	switch {
	case d.Named == len(d.Letters.Label):
		q.Domain = "declared"
	case lists:
		q.Domain = "order"
	}
	if d.By.Column == "" && d.Of == plan.Declared && asked.Prior.Only {
		q.Rules = []string{} // the records are a sample of which the design knows nothing
	}
	return q
}

// Populate bounds the leakage of the population from the records that the plan
// was made from and, where these are others, from those of this file. delta is
// the chance to fail that is asked for where a plan claims another; "" for none.
func Populate(p *plan.Plan, fresh *mechanism.Prior, delta string) *report.Population {
	q := p.Population
	if p.Empty() || p.Records().Total() == 0 {
		return nil
	}
	if fresh == nil && p.Blind() {
		fresh = &p.Sample // which the mechanism does not depend on
	}
	if delta != "" && (q == nil || q.Delta != delta) {
		q = &plan.Population{Delta: delta, Rules: []string{byLetters}, Letters: p.Inputs.Len(), Domain: "the plan"}
	}
	if q == nil {
		return nil
	}
	chance, err := strconv.ParseFloat(q.Delta, 64)
	if err != nil {
		return nil
	}
	rules := slices.Clone(q.Rules)
	if fresh != nil && fresh.Total() > 0 && len(p.Groups) == 1 { // else nobody tells fresh ones apart
		rules = append(rules, bySplit)
	}
	out := &report.Population{Delta: q.Delta, Records: p.Records().Total(), Letters: q.Letters, Domain: q.Domain}
	groups := populateGroups(p, q, fresh, rules, chance)
	worst := groups[0]
	for _, b := range groups[1:] {
		if worst.Bounded && (!b.Bounded || b.Nats > worst.Nats) {
			worst = b
		}
	}
	out.Bounded, out.Rule, out.Nats, out.Rules = worst.Bounded, worst.Rule, worst.Nats, worst.Rules
	if out.If = conditions(out); len(groups) > 1 {
		out.Strata = groups
		out.If[0] = fmt.Sprintf("the records of every stratum of %s are independent draws from its population",
			p.Given.Column)
	}
	return out
}

// populateGroups bounds the leakage of the population of every group: they share
// delta, and so do the rules in each. The largest bound is that of the promise, which is
// given the group.
func populateGroups(p *plan.Plan, q *plan.Population, fresh *mechanism.Prior, rules []string,
	delta float64) (out []report.StratumBound) {
	for i := range p.Groups {
		one := p.Alone(i)
		b := report.StratumBound{Records: one.Records().Total()}
		for _, rule := range rules {
			r := bound(rule, one, q, fresh, delta/float64(len(rules)*len(p.Groups)))
			if b.Rules = append(b.Rules, r); r.Bounded && (!b.Bounded || r.Nats < b.Nats) {
				b.Bounded, b.Rule, b.Nats = true, r.Rule, r.Nats
			}
		}
		out = append(out, b)
	}
	return out
}

// bound is what one rule says of a plan of one group.
func bound(rule string, p *plan.Plan, q *plan.Population, fresh *mechanism.Prior, share float64) report.Rule {
	out := report.Rule{Rule: rule, Delta: share}
	law := p.Groups[0].Mechanism
	b := estimate.Population{Nats: math.Inf(1), Output: -1}
	switch rule {
	case byLetters:
		b = estimate.Letters(law, p.Records(), q.Letters, share)
	case bySplit:
		out.Records = fresh.Total()
		b = estimate.Split(law, *fresh, share)
	}
	if !math.IsInf(b.Nats, 0) {
		out.Bounded, out.Nats = true, b.Nats
	}
	if b.Output >= 0 {
		out.Output = &p.OutputLabels()[b.Output]
	}
	return out
}

// conditions are what the claim needs, in words.
func conditions(b *report.Population) []string {
	out := []string{"the records are independent draws from the population"}
	switch b.Domain {
	case "declared":
		out = append(out, "the domain was declared before the data were seen; values outside it are not covered")
	case "order":
		out = append(out, "the order lists the values and was fixed before the data were seen; values outside it are not "+
			"covered")
	case "observed":
		out = append(out, "no value can occur but those of this file: they were not declared (--domain)")
	default:
		out = append(out, "the values of the plan were fixed before its data were seen; values outside them are not covered")
	}
	for _, r := range b.Rules {
		if r.Rule == bySplit {
			out = append(out, "the mechanism does not depend on the records of this file: the plan was made from others, or "+
				"from a declared prior alone")
		}
	}
	return out
}

// claimable refuses a claim of the population where values or strata were merged.
// Where every value of the column is a stratum, its records are independent
// draws from the law given that value, however many they are, and the rules
// hold stratum by stratum. Which strata are merged depends on how many records
// they have, and the shares of merged ones in the file are not those in the
// population: of a group of them the rules say nothing. So it is with values.
func claimable(confidence string, other *plan.Other, names []report.Label, rest bool) error {
	switch {
	case confidence == "":
		return nil
	case other != nil:
		return fault.New(fault.Privacy, "merge them before looking at the data, or remove --confidence",
			"--confidence cannot bound the population where values with few records are merged")
	case !rest || len(names) == 0:
		return nil
	}
	return fault.New(fault.Privacy,
		"merge them before looking at the data, or remove --confidence",
		"--confidence cannot bound the population of merged strata, and %s",
		report.Several(len(names), "stratum with few records was put into the rest", "strata with few records were merged"))
}

// Claimable refuses to follow a plan where nothing can be claimed of the
// population of one of its strata; delta is the chance to fail, "" for no claim.
func Claimable(delta string, p *plan.Plan) error {
	for _, g := range p.Groups {
		if err := claimable(delta, p.Other, g.Names, g.Rest); err != nil {
			return err
		}
	}
	return nil
}
