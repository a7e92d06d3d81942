package decide

import (
	"fmt"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// claimable refuses a claim of the population of strata that were merged.
// Where every value of the column is a stratum, its records are independent
// draws from the law given that value, however many they are, and the rules
// hold stratum by stratum. Which strata are merged depends on how many records
// they have, and the shares of merged ones in the file are not those in the
// population: of a group of them the rules say nothing.
func claimable(confidence string, names []report.Label, rest bool) error {
	if confidence == "" || !rest || len(names) == 0 {
		return nil
	}
	return fault.New(fault.Privacy,
		"separate them with a smaller --strata-min, merge them before looking at the data, or remove --confidence",
		"--confidence cannot bound the population of merged strata, and %s",
		report.Several(len(names), "stratum with few records was put into the rest", "strata with few records were merged"))
}

// populateStrata bounds the leakage of the population of every stratum: they
// share delta, and so do the rules in each. The largest bound is that of the
// promise, which is given the stratum.
func populateStrata(p *plan.Plan, q *plan.Population) *report.Population {
	delta, err := strconv.ParseFloat(q.Delta, 64)
	if err != nil {
		return nil
	}
	out := &report.Population{Delta: q.Delta, Records: p.Records().Total(), Letters: q.Letters, Domain: q.Domain,
		Bounded: true}
	worst := -1
	for i := range p.Groups {
		one := p.Alone(i)
		one.Floor = mechanism.RankFloor(one.Rank)
		if p.Floor.ByValue {
			one.Floor = mechanism.ValueFloor(one.Value)
		}
		b := report.StratumBound{Records: one.Records().Total()}
		for _, rule := range q.Rules {
			r := bound(rule, one, q, nil, delta/float64(len(q.Rules)*len(p.Groups)))
			if r.Rule == bySets {
				out.Sets = q.Sets
			}
			if b.Rules = append(b.Rules, r); r.Bounded && (!b.Bounded || r.Nats < b.Nats) {
				b.Bounded, b.Rule, b.Nats = true, r.Rule, r.Nats
			}
		}
		if out.Strata = append(out.Strata, b); worst < 0 || out.Strata[worst].Bounded &&
			(!b.Bounded || b.Nats > out.Strata[worst].Nats) {
			worst = i
		}
	}
	w := out.Strata[worst]
	out.Bounded, out.Rule, out.Nats, out.Rules = w.Bounded, w.Rule, w.Nats, w.Rules
	out.If = conditions(out)
	out.If[0] = fmt.Sprintf("the records of every stratum of %s are independent draws from its population", givenBy(p))
	return out
}

// givenBy is the strata column as the report spells it.
func givenBy(p *plan.Plan) string {
	return (&report.Strata{Column: p.Given.Column, Function: p.Given.Function}).Given()
}

// Claimable refuses to follow a plan where nothing can be claimed of the
// population of one of its strata; delta is the chance to fail, "" for no claim.
func Claimable(delta string, p *plan.Plan) error {
	for _, g := range p.Groups {
		if err := claimable(delta, g.Names, g.Rest); err != nil {
			return err
		}
	}
	return nil
}
