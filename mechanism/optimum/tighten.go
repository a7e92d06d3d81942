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
	if o.worth.Value.Cmp(o.w.Ceiling()) >= 0 {
		if m, _, err := Least(ctx, o.Prior, o.favourites(), LeastOptions{}); err == nil {
			o.prefer(m)
		}
		return
	}
	slack := 1e-7 * o.w.Span
	want := new(big.Rat).SetFloat64(slack)
	want.Sub(o.worth.Value, want)
	n := &narrowing{goal: rounded(want), slack: slack, low: rounded(bound(o.Pattern, scarce(o.Pattern))),
		high: rounded(o.worth.Factor), over: slack,
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
	o.best, o.worth.Value, o.worth.Factor = m, o.w.Value(m), f
	return true
}

// favourites are the cells of greatest weight of every letter.
func (o *largestSearch) favourites() *mechanism.Support {
	s := mechanism.NewSupport(o.Support.Inputs(), o.Support.Outputs())
	value := make([]float64, o.Support.Outputs())
	var output []uint16
	for x := range o.Support.Inputs() {
		output = o.Support.AppendRow(output[:0], x)
		o.w.Weights(x, value)
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

// A narrowing is the bracket of the least factor at which the largest utility
// loses no more than slack. That utility never falls as the factor grows and
// is about concave, so that its tangents cross the goal too early.
type narrowing struct {
	goal, slack float64
	low, high   float64 // the factor lies between
	over        float64 // the utility at high less the goal; slack at first
	at, under   float64 // the last factor that was too low, and the goal less its utility; 0 before
	aim         float64 // where the last tangents cross; 0 before
	spare       bool    // the mechanism of high does not use up the factor it was made for
	probes      int
	width       [2]float64 // of the logarithms, at the last two
	chord       bool       // it is its turn
}

// narrow is the relative width of a narrowing that is good enough. So is a
// mechanism that gives up a third of the slack: it is the most useful one of its
// factor.
const narrow = 1e-6

func (n *narrowing) open() bool {
	return n.high > n.low*(1+narrow) && n.over > .7*n.slack
}

// next is the factor to solve at: where a tangent at high crosses the goal, or
// at first just below a mechanism that does not use up its factor, since its
// prices say little; the middle of a wide bracket; the crossings of chord and
// tangent in turn in a narrow one, and its middle where these stall. They are
// all aimed a little above the goal.
func (n *narrowing) next() float64 {
	const wide = .15
	width := math.Log(n.high / n.low)
	n.probes++
	at := math.Sqrt(n.low * n.high)
	tangent := n.aim > n.low && n.aim < n.high
	switch {
	case n.probes == 1 && tangent:
		at = n.aim
	case n.probes == 1 && n.spare && width > 1e-3:
		at = n.high * (1 - 1e-3)
	case width > wide && tangent:
		at = math.Max(at, n.aim)
	case width > wide || n.probes > 3 && width > n.width[0]/2:
	case n.under > 0 && (n.chord || !tangent):
		at = n.at + (n.high-n.at)*(n.under+n.lift())/(n.under+n.over)
		n.chord = false
	case tangent:
		at = n.aim
		n.chord = true
	}
	n.width = [2]float64{n.width[1], width}
	return math.Min(math.Max(at, n.low*(1+.4*narrow)), n.high*(1-.9*narrow))
}

// lift is what is aimed at above the goal: between it and what is open.
func (n *narrowing) lift() float64 { return .35 * n.slack }

// above takes the slope of the utility at high, 0 where it is not known.
func (n *narrowing) above(slope float64) {
	if slope > 0 {
		n.aim = math.Max(n.aim, n.high-(n.over-n.lift())/slope)
	}
}

// below takes the slope at the factor that was too low.
func (n *narrowing) below(slope float64) {
	if v := n.at + (n.under+n.lift())/slope; slope > 0 && v < n.high {
		n.aim = math.Max(n.aim, v)
	}
}
