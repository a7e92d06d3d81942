package optimum

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// tighten looks for a smaller factor at the utility of the best mechanism,
// given up to slack. When that utility is what every letter's best outputs
// give, they are a support of their own, and Least solves it. Otherwise the
// factor is narrowed down.
func (o *largestSearch) tighten(ctx context.Context) {
	if o.worth.Factor.Cmp(one) == 0 {
		return
	}
	if o.worth.Value.Cmp(o.w.ceiling()) >= 0 {
		if m, _, err := Least(ctx, o.Prior, o.favourites(), LeastOptions{}); err == nil {
			o.prefer(m)
		}
		return
	}
	slack := 1e-7 * o.w.span
	want := new(big.Rat).SetFloat64(slack)
	want.Sub(o.worth.Value, want)
	n := &narrowing{goal: rounded(want), slack: slack, low: rounded(bound(o.Pattern, scarce(o.Pattern))), high: rounded(o.worth.Factor), over: slack,
		spare: rounded(o.worth.Factor) < rounded(o.factor)*(1-1e-6)}
	n.above(o.learn(n))
	for ctx.Err() == nil && n.open() && n.probes < o.solves() {
		at := n.next()
		probe := &largestSearch{Pattern: o.Pattern, factor: new(big.Rat).SetFloat64(at), w: o.w, probe: true}
		probe.worth.Upper = o.worth.Upper
		probe.search(ctx)
		if probe.best != nil && probe.worth.Value.Cmp(want) >= 0 && o.prefer(probe.best) {
			n.high, n.over = rounded(o.worth.Factor), rounded(new(big.Rat).Sub(o.worth.Value, want))
			n.above(probe.learn(n))
			continue
		}
		n.at, n.low, n.under = at, at, 0
		if probe.best != nil {
			n.under = rounded(new(big.Rat).Sub(want, probe.worth.Value))
		}
		n.below(probe.learn(n))
	}
}

// solves is how many programs tighten may solve: at 1,000 letters each takes
// about ten seconds.
func (o *largestSearch) solves() int {
	const work = 3e9
	n := float64(len(o.Letter))
	return int(min(max(work/(n*n*float64(len(o.Column))), 3), 16))
}

// learn raises the low end of n to where the last prices leave the goal
// possible, and returns the slope of the largest utility at the factor
// solved, 0 where it is not known.
func (o *largestSearch) learn(n *narrowing) (slope float64) {
	if o.price == nil || o.best == nil {
		return 0
	}
	t := o.w.tariff(o.price)
	n.low = t.needed(n.goal, n.low, n.high)
	return t.slope(rounded(o.factor), o.best.OutputLaw(o.Prior))
}

func rounded(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

// prefer takes m for its smaller factor.
func (o *largestSearch) prefer(m *mechanism.Mechanism) bool {
	_, f := m.Leakage(o.Prior).Max()
	if f.Cmp(o.worth.Factor) >= 0 {
		return false
	}
	o.best, o.worth.Value, o.worth.Factor = m, o.w.value(m), f
	return true
}

// favourites are the cells of greatest weight of every letter.
func (o *largestSearch) favourites() *mechanism.Support {
	s := mechanism.NewSupport(o.Support.Inputs(), o.Support.Outputs())
	value := make([]float64, o.Support.Outputs())
	var output []uint16
	for x := range o.Support.Inputs() {
		output = o.Support.AppendRow(output[:0], x)
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
