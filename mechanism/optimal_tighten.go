package mechanism

import (
	"context"
	"math"
	"math/big"
)

// tighten looks for a smaller factor at the utility of the best mechanism.
// When that is what every letter's best outputs give, they are a support of
// their own, and Least solves it. Otherwise it bisects: the largest utility
// never falls as the factor grows.
func (o *optimalSearch) tighten(ctx context.Context) {
	if o.worth.Factor.Cmp(one) == 0 {
		return
	}
	if o.worth.Value.Cmp(o.w.ceiling()) >= 0 {
		if m, _, err := Least(ctx, o.prior, o.favourites(), LeastOptions{}); err == nil {
			o.prefer(m)
		}
		return
	}
	slack := new(big.Rat)
	slack.SetFloat64(1e-7 * o.w.span)
	want := new(big.Rat).Sub(o.worth.Value, slack)
	high, _ := o.worth.Factor.Float64()
	low, _ := o.bound(o.scarce()).Float64()
	at := high * (1 - 0.9e-6)
	for ctx.Err() == nil && high > low*(1+1e-6) {
		probe := &optimalSearch{pattern: o.pattern, factor: new(big.Rat).SetFloat64(at), w: o.w, probe: true}
		probe.worth.Upper = o.worth.Upper
		probe.search(ctx)
		if probe.best != nil && probe.worth.Value.Cmp(want) >= 0 && o.prefer(probe.best) {
			high, _ = o.worth.Factor.Float64()
		} else {
			low = at
		}
		at = math.Sqrt(low * high)
	}
}

// prefer takes m for its smaller factor.
func (o *optimalSearch) prefer(m *Mechanism) bool {
	_, f := m.Leakage(o.prior).Max()
	if f.Cmp(o.worth.Factor) >= 0 {
		return false
	}
	o.best, o.worth.Value, o.worth.Factor = m, o.w.value(m), f
	return true
}

// favourites are the cells of greatest weight of every letter.
func (o *optimalSearch) favourites() *Support {
	s := NewSupport(o.s.Inputs(), o.s.Outputs())
	value := make([]float64, o.s.Outputs())
	var output []uint16
	for x := range o.s.Inputs() {
		output = o.s.AppendRow(output[:0], x)
		o.w.fill(x, value)
		top := math.Inf(-1)
		for _, y := range output {
			top = math.Max(top, value[y])
		}
		for _, y := range output {
			if value[y] == top {
				s.Allow(x, int(y))
			}
		}
	}
	return s
}
