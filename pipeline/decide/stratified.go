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
	asked  *request.Decision
	d      *count.Domain
	merged *merging // nil where all letters are designed for
	all    mechanism.Prior
	prior  []mechanism.Prior // by group
	own    []mechanism.Prior // likewise, their records, where epsilon holds under these, too; else nil
	held   []mechanism.Prior // likewise, their records, whose shares are looked at
	limit  []*big.Rat        // likewise, of the shift among the values that are designed for; nil for none
	order  mechanism.Order
	goal   design.Goal
	first  []int // groups, that which last refused a mechanism first
	hide   bool  // epsilon must hold for whoever does not know the stratum, too
	spare  bool  // and however the records of a value are shared among strata
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
	shift   *big.Rat // the largest of a group; nil where nothing was asked of it
	stopped bool
}

// stratify decides the mechanisms of p, whose order is set, within goal.
func stratify(ctx context.Context, asked *request.Decision, p *plan.Plan, d *count.Domain, order *utility.Result,
	merged *merging, goal design.Goal) error {
	w := &stratified{asked: asked, d: d, merged: merged, all: p.Prior, order: p.Order, goal: goal, hide: !d.By.Only,
		spare: p.Headroom != nil}
	for i, g := range d.Groups {
		if err := claimable(asked.Claim.Text, g.Names, g.Rest); err != nil {
			return err
		}
		w.prior, w.first, w.held = append(w.prior, g.Prior), append(w.first, i), append(w.held, recordsOf(d, i))
		if len(goal.Also) > 0 {
			w.own = append(w.own, g.Sample)
		}
	}
	if err := w.limits(); err != nil {
		return err
	}
	solve, cancel := Solving(ctx, asked.SolveTime)
	defer cancel()
	overall, cancel := sooner(solve, overallTime)
	defer cancel()
	free, evidence, failed := made(overall, d, w.order, goal)
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
	if best == nil {
		if solve.Err() != nil {
			return fault.New(fault.Environment, "give more time with --solve-time, or choose --design safe",
				"no design for all strata was found within %v", asked.SolveTime)
		}
		return w.explain(p, failed, why, order)
	}
	w.decide(p, best)
	var whole *proposal
	if failed == nil {
		whole = &proposal{law: []*mechanism.Mechanism{free}, rank: evidence.WorstRank, value: evidence.WorstValue,
			mean: evidence.ExpectedUtility}
	}
	p.Words = order.Describe(p.Value)
	return Interruptible(ctx, func() error {
		if merged != nil {
			if err := w.widen(p, whole, shared, apart); err != nil {
				return err
			}
		}
		if err := setShares(p, asked, &design.Evidence{}); err != nil {
			return err
		}
		for i, c := range []*proposal{whole, shared, apart} {
			t := plan.Tried{Rule: []string{"", plan.Shared, plan.Apart}[i]}
			if c != nil {
				t.Found, t.Rank, t.Value, t.Expected = true, c.rank, c.value, c.mean
			}
			p.Given.Tried = append(p.Given.Tried, t)
		}
		p.DesignHash = p.HashDesign()
		return nil
	})
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
	if w.goal.Nearest {
		c.shift = new(big.Rat)
		for g, m := range c.law {
			if d := m.Shares(w.held[g], w.goal.Stands).Shift; d.Cmp(c.shift) > 0 {
				c.shift = d
			}
		}
	}
}

// mean is what is expected of a record by these weights.
func (w *stratified) mean(c *proposal, of mechanism.Weights) float64 {
	if c.rule != plan.Apart {
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
	if by := byFloor(&w.goal, a.rank, b.rank, a.value, b.value); by != 0 {
		return by > 0
	}
	if w.goal.Nearest && a.shift.Cmp(b.shift) != 0 {
		return a.shift.Cmp(b.shift) < 0
	}
	return a.worth > b.worth
}

// decide writes c into the plan.
func (w *stratified) decide(p *plan.Plan, c *proposal) {
	p.Given = w.d.By
	p.Given.Rule = c.rule
	groups := slices.Clone(w.d.Groups)
	for i := range groups {
		g := &groups[i]
		g.Mechanism, g.Leakage = c.law[i], c.leakage[i]
		g.Rank, g.Value = g.Mechanism.Floor(w.order)
		g.Expected = g.Mechanism.ExpectedUtility(g.Prior, w.order)
	}
	p.Redraw(groups...)
	p.Kind, p.Floor = "strata", c.shape
	p.Expected, p.Stopped, p.Gap = c.mean, c.stopped, c.gap
	p.Lower, p.Upper = big.NewRat(1, 1), p.Factor()
	p.UpperBound = max(p.Expected, bestUtility(w.all, w.order))
	if w.asked.Prefer == request.Shares {
		p.Prefer = request.Shares
	}
	if w.asked.Prefer == request.Unchanged {
		p.Prefer, p.Share, p.ShareBound = request.Unchanged, c.worth, 1
	}
}

// widen makes the plan one over the letters of the file, and measures what was
// weighed by the order that these have.
func (w *stratified) widen(p *plan.Plan, weighed ...*proposal) error {
	if err := w.merged.finish(p, w.asked); err != nil {
		return err
	}
	wide := &stratified{d: w.merged.fold.Wide, all: p.Prior, order: p.Order}
	for _, g := range p.Groups {
		wide.prior = append(wide.prior, g.Prior)
	}
	for _, c := range weighed {
		if c == nil {
			continue
		}
		groups, err := w.merged.fold.Wider(c.law)
		if err != nil {
			return err
		}
		for i, g := range groups {
			c.law[i] = g.Mechanism
		}
		wide.settle(c)
		if c.rule == p.Given.Rule {
			p.Expected = c.mean
		}
	}
	p.Upper, p.UpperBound = p.Factor(), max(p.Expected, bestUtility(p.Prior, p.Order))
	return nil
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
func (w *stratified) explain(p *plan.Plan, free, apart error, order *utility.Result) error {
	say := func(err error) error {
		asked := design.Goal{Epsilon: p.Epsilon, Also: w.goal.Also}
		if w.merged != nil {
			return w.merged.explain(err, w.d, asked)
		}
		return Explain(err, w.d, order, asked)
	}
	if free != nil {
		return spared(w.asked.Headroom, say(free), p)
	}
	var far *design.UnreachableError
	if errors.As(apart, &far) {
		f := fault.As(say(apart))
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
	var off *design.ShiftError
	if errors.As(apart, &off) {
		e := *off
		if e.Limit = w.asked.Goal.MaxShift; w.merged != nil {
			e.AtFloor = w.merged.floor(e.AtFloor)
		}
		return fault.New(fault.Privacy, w.help()+", or a larger --max-shift", "%s%s, in one of the strata", w.with(),
			fault.As(shifted(&e)).What)
	}
	whom := "in every stratum"
	if errors.Is(apart, errTells) {
		whom += " and for observers who do not know it"
	}
	return fault.New(fault.Privacy, w.help(), "%sno design keeps epsilon %s %s at the floor asked for", w.with(),
		p.Epsilon, whom)
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
	s := "give a larger epsilon, a lower floor, --design auto, or fewer and larger strata, such as month() of a date"
	if w.d.Shown {
		s += ", or drop the group column with --drop " + w.d.By.Column
	}
	if w.spare {
		s += ", or less headroom"
	}
	if w.hide {
		s += "; --given-only keeps epsilon only for observers who know the stratum"
	}
	return s
}
