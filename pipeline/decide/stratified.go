package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

const (
	// apartCells bounds the cells of all mechanisms of a plan together.
	apartCells = 1 << 22
	// apartGroups bounds the mechanisms of a plan.
	apartGroups = 256
	// togetherCells bounds the cells, counted for every group, up to which one
	// design keeps the priors of all groups at once.
	togetherCells = 1 << 13
	// apartTries is how many stricter factors designs of every group are tried at.
	apartTries = 4
	// overallTries is how many stricter factors the design over all records is
	// tried at, and overallTime the share of the time for it.
	overallTries = 6
	overallTime  = .4
	// valueFloors is how many floors by value are tried at the most.
	valueFloors = 512
)

// A stratified design is looked for in groups of strata.
type stratified struct {
	asked *request.Decision
	of    plan.Spec // of the strata
	all   mechanism.Prior
	prior []mechanism.Prior // by group
	order mechanism.Order
	goal  design.Goal
	first []int // groups, that which last refused a mechanism first
	hide  bool  // epsilon must hold for whoever does not know the stratum, too
	spare bool  // and however the records of a value are shared among strata
	shown bool  // the column stands in the output
}

// A proposal has a mechanism for every group, within epsilon in each.
type proposal struct {
	rule    string
	law     []*mechanism.Mechanism
	leakage []mechanism.Leakage
	shape   mechanism.Floor // the worst that shaped a support
	rank    int
	value   float64
	mean    float64 // expected utility of a record
	worth   float64 // expected of a record, of what is preferred: the utility, or staying unchanged
	gap     float64
	stopped bool
}

// stratify decides the mechanisms of p, whose order is set, within goal.
func stratify(ctx context.Context, asked *request.Decision, p *plan.Plan, d *count.Domain, s *count.Source,
	order *utility.Result, goal design.Goal) error {
	spec := s.Strata
	shown := s.Shows(spec.Column)
	groups, err := s.Groups(ctx, d, asked.Strata.Least(shown))
	if err != nil {
		return err
	}
	w := &stratified{asked: asked, of: spec, all: p.Prior, order: p.Order, goal: goal, hide: !asked.Strata.Only,
		shown: shown, spare: p.Headroom != nil}
	for i, g := range groups {
		if w.shown && g.Rest && len(g.Names) > 0 {
			return count.Published(spec.String(), spec.Column, fmt.Sprintf("%s fewer than %d records",
				report.Several(len(g.Names), "stratum has", "strata have"), asked.Strata.Min), "take a smaller --strata-min")
		}
		if err := claimable(asked.Claim.Text, g.Names, g.Rest); err != nil {
			return err
		}
		prior, err := mechanism.NewPrior(g.Count)
		if err != nil {
			return err
		}
		w.prior, w.first = append(w.prior, prior), append(w.first, i)
	}
	solve, cancel := Solving(ctx, asked.SolveTime)
	defer cancel()
	overall, cancel := sooner(solve, overallTime)
	defer cancel()
	free, evidence, failed := design.Make(overall, w.all, w.order, goal)
	tried := []plan.Tried{{}}
	if failed == nil {
		tried[0] = plan.Tried{Found: true, Rank: evidence.WorstRank, Value: evidence.WorstValue,
			Expected: evidence.ExpectedUtility}
	}
	shared := w.shared(overall, free, evidence)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	apart, why := w.apart(solve, shared)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	best := shared
	if best == nil || apart != nil && w.better(apart, best) {
		best = apart
	}
	for i, c := range []*proposal{shared, apart} {
		t := plan.Tried{Rule: []string{plan.Shared, plan.Apart}[i]}
		if c != nil {
			t.Found, t.Rank, t.Value, t.Expected = true, c.rank, c.value, c.mean
		}
		tried = append(tried, t)
	}
	if best == nil {
		if solve.Err() != nil {
			return fault.New(fault.Environment, "give more time with --solve-time, or choose --design safe",
				"no design for all strata was found within %v", asked.SolveTime)
		}
		return w.explain(p, failed, why, d, order)
	}
	w.decide(p, best, groups, tried)
	if p.Words = order.Describe(p.Value); goal.Floor != nil {
		p.Asked = goal.Floor.String()
	}
	p.DesignHash = p.HashDesign()
	return nil
}

// sooner leaves a share of the time that ctx has.
func sooner(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(end))))
}

// settle fills in what the mechanisms of c reach.
func (w *stratified) settle(c *proposal) {
	c.rank, c.value = w.order.Outputs(), math.Inf(1)
	for i, m := range c.law {
		if i == 0 || m != c.law[i-1] {
			rank, value := m.Floor(w.order)
			c.rank, c.value = min(c.rank, rank), min(c.value, value)
		}
	}
	c.mean = w.mean(c, mechanism.ValueWeights(w.order))
	if c.worth = c.mean; w.goal.Weights != nil {
		c.worth = w.mean(c, w.goal.Weights)
	}
}

// mean is what is expected of a record by these weights.
func (w *stratified) mean(c *proposal, of mechanism.Weights) float64 {
	if c.rule == plan.Shared {
		return c.law[0].ExpectedWeight(w.all, of)
	}
	mean := 0.0
	for g, m := range c.law {
		if w.prior[g].Total() > 0 {
			mean += w.share(g) * m.ExpectedWeight(w.prior[g], of)
		}
	}
	return mean
}

// share is that of a group in all records.
func (w *stratified) share(g int) float64 {
	return float64(w.prior[g].Total()) / float64(max(1, w.all.Total()))
}

// better compares by floor, then by what is preferred. A tie is none.
func (w *stratified) better(a, b *proposal) bool {
	switch {
	case w.goal.Floor == nil && w.goal.ByValue && a.value != b.value:
		return a.value > b.value
	case w.goal.Floor == nil && !w.goal.ByValue && a.rank != b.rank:
		return a.rank > b.rank
	}
	return a.worth > b.worth
}

// decide writes c into the plan.
func (w *stratified) decide(p *plan.Plan, c *proposal, groups []plan.Stratum, tried []plan.Tried) {
	p.Given = plan.Given{Spec: w.of, Only: !w.hide, Least: w.asked.Strata.Least(w.shown), Rule: c.rule, Tried: tried}
	var all []plan.Group
	for i, g := range groups {
		e := plan.Group{Names: g.Names, Rest: g.Rest, Prior: w.prior[i], Mechanism: c.law[i], Leakage: c.leakage[i]}
		e.Rank, e.Value = e.Mechanism.Floor(w.order)
		if e.Prior.Total() > 0 {
			e.Expected = e.Mechanism.ExpectedUtility(e.Prior, w.order)
		}
		all = append(all, e)
	}
	p.Redraw(all...)
	p.Kind, p.Floor = "strata", c.shape
	p.Expected, p.Stopped, p.Gap = c.mean, c.stopped, c.gap
	p.Lower, p.Upper = big.NewRat(1, 1), p.Factor()
	p.UpperBound = max(p.Expected, bestUtility(w.all, w.order))
	if w.asked.Prefer == request.Unchanged {
		p.Prefer, p.Share, p.ShareBound = request.Unchanged, c.worth, 1
	}
}

// bestUtility is the mean that no mechanism is above: every record gets its
// best output.
func bestUtility(p mechanism.Prior, o mechanism.Order) float64 {
	sum := 0.0
	row := make([]float64, o.Outputs())
	for x := range o.Inputs() {
		if c := p.Count(x); c > 0 {
			o.Row(x, nil, row)
			sum += float64(c) / float64(p.Total()) * slices.Max(row)
		}
	}
	return sum
}

// explain says why no design keeps epsilon in every stratum: what stands in
// the way of one without strata, else of one of the strata.
func (w *stratified) explain(p *plan.Plan, free, apart error, d *count.Domain, order *utility.Result) error {
	asked := design.Goal{Epsilon: p.Epsilon, Also: w.goal.Also}
	if free != nil {
		return spared(w.asked.Headroom, Explain(free, d, order, asked), p)
	}
	var far *design.UnreachableError
	if errors.As(apart, &far) {
		f := fault.As(Explain(apart, d, order, asked))
		hint := w.help()
		if least := far.Least; least != nil {
			if w.spare {
				least = new(big.Rat).Mul(least, new(big.Rat).Add(p.Headroom, one))
			}
			hint = fmt.Sprintf("the designs that were tried need --max-factor %s there (%s nats); or %s",
				report.FactorUp(least), report.Nats(least), hint)
		}
		return &fault.Fault{Class: f.Class, What: w.with() + f.What + " in one of the strata", Hint: hint, Err: f.Err}
	}
	whom := "in every stratum"
	if errors.Is(apart, errTells) {
		whom += " and for whoever does not know it"
	}
	return fault.New(fault.Privacy, w.help(), "%sno design keeps epsilon %s %s at the floor asked for", w.with(), p.Epsilon,
		whom)
}

// with names the headroom, "" for none.
func (w *stratified) with() string {
	if w.spare {
		return "with headroom " + w.asked.Headroom.Text + ", "
	}
	return ""
}

// help is what may make a design possible.
func (w *stratified) help() string {
	s := "take a larger epsilon, a lower floor, --design auto, or fewer and larger strata, such as month() of a date"
	if w.shown {
		s += ", or leave the column out with --drop " + w.of.Column
	}
	if w.spare {
		s += ", or less headroom"
	}
	if w.hide {
		s += "; --given-only promises nothing to whoever does not know the stratum"
	}
	return s
}
