package decide

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/source"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// finish makes a plan over the letters of the file of one over merged letters.
func finish(f *source.Folding, p *plan.Plan, o *options.Options, r *utility.Result) error {
	weight := p.Pi
	narrow := p.Prior
	if err := f.Widen(p, p.Mechanism); err != nil {
		return err
	}
	if p.Order.Inputs()*p.Order.Outputs() > tableCells {
		return fault.New(fault.Input, "merge letters before", "an order of %d by %d letters is too large for --other", p.Order.Inputs(), p.Order.Outputs())
	}
	wide := *r
	wide.Order, wide.Inputs = p.Order, p.Inputs
	if err := setOrder(p, o, f.Wide, &wide); err != nil {
		return err
	}
	p.Leakage = p.Mechanism.Leakage(p.Prior)
	s := mechanism.SupportOf(p.Order, p.Floor)
	if p.Pi = spread(f, weight, narrow); p.Pi == nil || (optimum.Certificate{Weight: p.Pi, Lower: p.Lower}).Verify(p.Prior, s) != nil {
		p.Pi = nil
		var err error
		if p.Lower, err = optimum.LowerBound(p.Prior, s); err != nil {
			return err
		}
	}
	p.Other = &plan.Other{Label: o.Other, MinCount: o.MinCount, Merged: []string{}}
	for _, x := range f.Rare {
		p.Other.Merged = append(p.Other.Merged, p.Inputs.Label[x])
	}
	return nil
}

// spread divides the weight of OTHER among its letters by their records: in
// the same ratio of weight to records they prove the same. It is nil where that
// takes more than 62 bits.
func spread(f *source.Folding, weight []int64, narrow mechanism.Prior) []int64 {
	if weight == nil {
		return nil
	}
	other := f.To[f.Row]
	unit := narrow.Count(other)
	if unit == 0 {
		unit = 1 // no record, and so no weight
	}
	out, total := make([]int64, len(f.To)), uint64(0)
	for x, to := range f.To {
		by := unit
		if to == other {
			by = f.Wide.Prior.Count(x)
		}
		high, low := bits.Mul64(uint64(weight[to]), uint64(by))
		if total += low; high > 0 || low >= 1<<62 || total > 1<<62 {
			return nil
		}
		out[x] = int64(low)
	}
	return out
}
