package decide

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// prove puts into a plan over all values what is proven of its design: the least factor at its
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
	if !w.classes.merges() {
		return nil
	}
	s := mechanism.SupportOf(p.Order, p.Floor)
	if w.classes.own() {
		p.UpperBound = max(p.Expected, optimum.UtilityBound(p.Prior, p.Order, s, p.Epsilon.Factor()))
	}
	if p.Pi = w.classes.spread(p.Pi); p.Pi == nil ||
		(optimum.Certificate{Weight: p.Pi, Lower: p.Lower}).Verify(p.Prior, s) != nil {
		p.Pi = nil
		p.Lower, err = optimum.LowerBound(p.Prior, s, p.Also()...)
	}
	return err
}

// spread divides the weight of OTHER among its values by their records: in
// the same ratio of weight to records they prove the same. It is nil where that
// takes more than 62 bits.
func (c *classes) spread(weight []int64) []int64 {
	if weight == nil {
		return nil
	}
	unit := max(1, c.domain.Prior.Count(c.other)) // without records it has no weight
	out, total := make([]int64, len(c.of)), uint64(0)
	for x, class := range c.of {
		by := unit
		if class == c.other {
			by = c.wide.Prior.Count(x)
		}
		high, low := bits.Mul64(uint64(weight[class]), uint64(by))
		if total += low; high > 0 || low >= 1<<62 || total > 1<<62 {
			return nil
		}
		out[x] = int64(low)
	}
	return out
}

// bestUtility is the mean that no mechanism is above: every record gets its
// best output.
func bestUtility(p mechanism.Prior, o mechanism.Order) float64 {
	sum, row := 0.0, make([]float64, o.Outputs())
	for x := range o.Inputs() {
		if c := p.Count(x); c > 0 {
			o.Row(x, nil, row)
			sum += float64(c) / float64(p.Total()) * slices.Max(row)
		}
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
	best, alone := worths(p)
	if math.IsInf(alone, -1) || !(p.Expected-alone <= toldApart*(best-alone)) {
		return nil
	}
	hint := "take an order with levels (hierarchy, tree or prefix), merge values"
	if w.classes.merges() && utility.InLevels(p.Spec.Form) {
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
