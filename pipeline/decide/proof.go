package decide

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// prove puts into a plan what is proven of its design: the least factor at its
// floor and the utility that no mechanism is above. Of several groups nothing is proven together.
func (w *problem) prove(p *plan.Plan, e *design.Evidence) (err error) {
	if w.parted {
		p.Lower, p.Upper, p.UpperBound = big.NewRat(1, 1), p.Factor(), max(p.Expected, bestUtility(p.Prior, p.Order))
		return nil
	}
	p.Lower, p.Upper, p.UpperBound = e.Lower, e.Upper, e.UtilityUpperBound
	if e.Certificate != nil {
		p.Pi = e.Certificate.Weight
	}
	if len(w.goal.Also) > 0 { // what one value or the first prior demands
		s := mechanism.SupportOf(w.order.Order, e.Floor)
		if p.Lower, err = optimum.LowerBound(w.d.Prior, s, w.goal.Also...); err != nil {
			return err
		}
		p.Pi = nil
		if c := e.Certificate; c != nil && c.Lower.Cmp(p.Lower) > 0 {
			p.Lower, p.Pi = c.Lower, c.Weight
		}
	}
	return nil
}

// bestUtility is the mean that no mechanism is above: every record gets its
// best output.
func bestUtility(p mechanism.Prior, o mechanism.Order) float64 {
	tree, levels := o.(*mechanism.Tree)
	sum, row := 0.0, make([]float64, o.Outputs())
	for x := range o.Inputs() {
		c := p.Count(x)
		if c == 0 {
			continue
		}
		best := 0.0
		if levels {
			best = tree.Best(x)
		} else {
			o.Row(x, nil, row)
			best = slices.Max(row)
		}
		sum += float64(c) / float64(p.Total()) * best
	}
	return sum
}

// toldApart is the least share of what the order can tell apart that a plan must
// keep, where no search for a better one was made.
const toldApart = .01

// refuseNoise refuses a plan that is hardly worth more than outputs drawn
// independently of the records, where that is so for want of a search: values are
// too many for the optimum, and nobody asked for the design by its name.
func (w *problem) refuseNoise(p *plan.Plan) error {
	n, m, goal := p.Inputs.Len(), p.Outputs.Len(), w.goal
	if w.parted || goal.Kind != "" && goal.Kind != "auto" || optimum.Fits(n, m) || p.Kind == "grouped" ||
		p.Kind == "blocks" {
		return nil
	}
	if _, most := p.Prior.Most(); most == p.Prior.Total() {
		return nil // there is nothing to tell apart
	}
	best, alone := bestUtility(p.Prior, p.Order), aloneUtility(p)
	if math.IsInf(alone, -1) || !(p.Expected-alone <= toldApart*(best-alone)) {
		return nil
	}
	hint := "take an order with levels (hierarchy, tree or prefix), merge values"
	if w.d.Rare.Other != "" && utility.InLevels(p.Spec.Form) {
		hint = "leave --min-count out: an order with levels joins rare values by itself"
	}
	return fault.New(fault.Privacy, hint+", or give a larger epsilon; --design blocks keeps the shares of values",
		"%s by %s are too many to search for the best mechanism, and what is known to keep epsilon %s is no more useful "+
			"than outputs that do not depend on the record",
		report.Several(n, "value", "values"), report.Several(m, "output", "outputs"), p.Target)
}

// aloneUtility is what is expected of outputs as common as the plan makes them, up to parts
// of 2^40, drawn independently of the record.
func aloneUtility(p *plan.Plan) float64 {
	var output []uint16
	var weight []int64
	for y, q := range p.Groups[0].Mechanism.OutputLaw(p.Prior) {
		if w := int64(math.Round(q * 0x1p40)); w > 0 {
			output, weight = append(output, uint16(y)), append(weight, w)
		}
	}
	row := slices.Repeat([]mechanism.Row{mechanism.WeightedRow(output, weight)}, p.Inputs.Len())
	m, err := mechanism.New(p.Outputs.Len(), row)
	if err != nil {
		return math.Inf(-1)
	}
	return m.ExpectedUtility(p.Prior, p.Order)
}
