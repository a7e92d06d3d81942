package decide

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// The rules that bound the leakage of the population.
const (
	bySets    = "sets"    // Clopper and Pearson, for every set of letters that may give an output
	byBall    = "ball"    // every law within an l1 distance of the frequencies
	byLetters = "letters" // Clopper and Pearson, for every letter
	// a sample of which the mechanism knows nothing: others than the plan's, or a declared prior that
	// alone was held to epsilon
	bySplit = "split"
)

// claim decides by which rules the population is bounded, before anything is
// designed: rules of which the data pick the better must share delta. The order
// may list the letters; one mechanism may be for the whole, or strata have each
// their own.
func claim(asked *request.Decision, d *count.Domain, order mechanism.Order, whole, lists bool) *plan.Population {
	if asked.Claim.Text == "" {
		return nil
	}
	g := asked.Goal
	q := &plan.Population{Delta: asked.Claim.Text, Letters: d.Letters.Len(), Domain: "observed"}
	switch {
	case d.Fold == nil && d.Named == len(d.Letters.Label):
		q.Domain = "declared"
	case lists:
		q.Domain = "order"
	}
	if d.Fold != nil {
		q.Letters = d.Fold.Wide.Letters.Len()
		if d.Named == len(d.Fold.Wide.Letters.Label) {
			q.Domain = "declared"
		}
	}
	switch {
	case d.Fold != nil:
		q.Rules = []string{byBall, byLetters} // the sets depend on the data: rare letters were merged
	case whole && d.Of == plan.Declared && asked.Prior.Only:
		q.Rules = []string{} // the records are a sample of which the design knows nothing
	case g.Kind == "safe" || g.Kind == "flat":
		q.Rules = []string{bySets}
	case g.Kind == "optimal":
		q.Rules = []string{byBall, byLetters}
	default:
		q.Rules = []string{bySets, byBall, byLetters}
	}
	// The safe design picks one of the floors above a fixed one, and so may a
	// stratum.
	var fixed *mechanism.Floor
	if whole && (g.Kind == "flat" || g.Kind == "optimal") {
		fixed = g.Floor
	}
	q.Sets = estimate.DistinctSets(order, g.ByValue || g.Floor != nil && g.Floor.ByValue, fixed)
	return q
}

// claimed is what a plan is bounded by, with this chance to fail, that was made
// without a claim. Where rare letters were merged, the sets depend on the data.
func claimed(delta string, p *plan.Plan) *plan.Population {
	q := &plan.Population{Delta: delta, Letters: p.Inputs.Len(), Domain: "the plan",
		Rules: []string{byBall, byLetters}}
	if p.Other == nil {
		q.Rules = []string{bySets, byBall, byLetters}
	}
	q.Sets = estimate.DistinctSets(p.Order, p.Floor.ByValue, nil)
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
		q = claimed(delta, p)
	}
	if q == nil {
		return nil
	}
	chance, err := strconv.ParseFloat(q.Delta, 64)
	if err != nil {
		return nil
	}
	rules := slices.Clone(q.Rules)
	if fresh != nil && q.Design == nil && fresh.Total() > 0 && len(p.Groups) == 1 { // else nobody tells fresh ones apart
		rules = append(rules, bySplit)
	}
	out := &report.Population{Delta: q.Delta, Records: p.Records().Total(), Letters: q.Letters, Domain: q.Domain}
	if slices.Contains(rules, bySets) {
		out.Sets = q.Sets
	}
	if q.Design != nil {
		out.Design = q.Design.RatString()
	}
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
		out.If[0] = fmt.Sprintf("the records of every stratum of %s are independent draws from its population", p.Given)
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
	case bySets:
		if keepsSets(p) {
			b = estimate.Sets(law, p.Records(), q.Sets, share)
		}
	case byBall:
		out.Radius = estimate.Radius(q.Letters, p.Records().Total(), share)
		b = estimate.Ball(law, p.Records(), out.Radius, share)
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

// keepsSets reports whether every output is given by no letter, or by all that
// the floor leaves it: only then is its set one that the order fixed.
func keepsSets(p *plan.Plan) bool {
	s := mechanism.SupportOf(p.Order, p.Floor)
	given := make([]int, p.Outputs.Len())
	law := p.Groups[0].Mechanism
	for x := range law.Inputs() {
		for _, y := range law.Row(x).Output {
			given[y]++
		}
	}
	for y, k := range given {
		for x := 0; k > 0 && x < law.Inputs(); x++ {
			if s.Allowed(x, y) {
				given[y]--
			}
		}
		if k > 0 && given[y] != 0 {
			return false
		}
	}
	return true
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
		switch r.Rule {
		case bySets:
			out = append(out, "order, labels and merges were fixed before the data were seen")
		case bySplit:
			out = append(out, "the mechanism does not depend on the records of this file: the plan was made from others, or "+
				"from a declared prior alone")
		}
	}
	return out
}
