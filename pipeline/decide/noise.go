package decide

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// toldApart is the least share of what the order can tell apart that a plan must
// keep, where no search for a better one was made.
const toldApart = .01

// refuseNoise refuses a plan that is hardly worth more than outputs drawn
// independently of the records, where that is so for want of a search: values are
// too many for the optimum, and nobody asked for the design by its name.
func refuseNoise(goal design.Goal, p *plan.Plan, merged bool) error {
	n, m := p.Inputs.Len(), p.Outputs.Len()
	if goal.Kind != "" && goal.Kind != "auto" || optimum.Fits(n, m) || p.Kind == "sparse" || p.Kind == "blocks" {
		return nil
	}
	if _, most := p.Prior.Most(); most == p.Prior.Total() {
		return nil // there is nothing to tell apart
	}
	best, alone := worths(p)
	if math.IsInf(alone, -1) || !(p.Expected-alone <= toldApart*(best-alone)) {
		return nil
	}
	hint := "take an order with levels (hierarchy, tree or prefix), merge values"
	if merged && utility.InLevels(p.Spec.Form) {
		hint = "leave --min-count out: an order with levels joins rare values by itself"
	}
	return fault.New(fault.Privacy, hint+", or give a larger epsilon; --design blocks keeps the shares of values",
		"%s by %s are too many to search for the best mechanism, and what is known to keep epsilon %s is no more useful "+
			"than outputs that do not depend on the record",
		report.Several(n, "value", "values"), report.Several(m, "output", "outputs"), p.Target)
}

// worths are the expected utilities of the best output for every record, and of
// outputs as common as the plan makes them, drawn independently of the record.
func worths(p *plan.Plan) (best, alone float64) {
	law := p.Groups[0].Mechanism.OutputLaw(p.Prior)
	if t, ok := p.Order.(*mechanism.Tree); ok {
		return worthsOfTree(p, t, law)
	}
	value, n := make([]float64, p.Outputs.Len()), float64(p.Prior.Total())
	var top, mean mechanism.Sum
	for x := range p.Inputs.Len() {
		c := p.Prior.Count(x)
		if c == 0 {
			continue
		}
		p.Order.Row(x, nil, value)
		most, own := math.Inf(-1), 0.0
		for y, u := range value {
			if most = math.Max(most, u); law[y] > 0 {
				own += law[y] * u
			}
		}
		top.Add(float64(c) / n * most)
		if math.IsInf(own, -1) {
			return most, own
		}
		mean.Add(float64(c) / n * own)
	}
	return top.Value(), mean.Value()
}

// worthsOfTree are the same without a table, the second up to the rounding of the law
// to parts of 2^40.
func worthsOfTree(p *plan.Plan, t *mechanism.Tree, law []float64) (best, alone float64) {
	var top mechanism.Sum
	for x := range t.Inputs() {
		if c := p.Prior.Count(x); c > 0 {
			top.Add(float64(c) / float64(p.Prior.Total()) * t.Best(x))
		}
	}
	var output []uint16
	var weight []int64
	for y, q := range law {
		if w := int64(math.Round(q * 0x1p40)); w > 0 {
			output, weight = append(output, uint16(y)), append(weight, w)
		}
	}
	row := slices.Repeat([]mechanism.Row{mechanism.WeightedRow(output, weight)}, t.Inputs())
	m, err := mechanism.New(t.Outputs(), row)
	if err != nil {
		return top.Value(), math.Inf(-1)
	}
	return top.Value(), m.ExpectedUtility(p.Prior, t)
}
