package decide

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

const (
	// sharedTries and apartTries are how many epsilons designs are tried at: one over all records, or
	// one for every group.
	sharedTries = 12
	apartTries  = 4
	// overallTime is the share of the time for the design over all records.
	overallTime = .4
)

// A proposal has a mechanism for every group, within epsilon in each.
type proposal struct {
	rule            string
	group           []plan.Group // as they are drawn
	design.Evidence              // of all records together
	shift           *big.Rat     // the largest of a group; see shiftOf
}

// search is the best proposal.
func (w *problem) search(ctx context.Context, p *plan.Plan) (*proposal, error) {
	solve, cancel := Solving(ctx, w.asked.SolveTime)
	defer cancel()
	var best *proposal
	var why [2]error
	err := Interruptible(ctx, func() error {
		best, why = w.compare(solve)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case best != nil:
		return best, nil
	case solve.Err() != nil && !errors.As(why[0], new(*design.UnreachableError)):
		return nil, fault.New(fault.Environment, "give more time with --solve-time, or choose --design safe, which "+
			"needs no search", "no design was found within %v (--solve-time)", w.asked.SolveTime)
	}
	return nil, w.explain(p, why[0], why[1])
}

// compare is the best of one mechanism for all groups, one for each and, where shares of records
// are limited beside another prior, those that keep the limit unasked; and why there is no design
// for all records, and none for each group.
func (w *problem) compare(solve context.Context) (best *proposal, why [2]error) {
	offer := func(c *proposal) {
		if c != nil && (best == nil || w.better(c, best)) {
			best = c
		}
	}
	if !w.parted {
		best, why[0] = w.within(solve, sharedTries, nil, w.each)
	} else {
		overall, cancel := sooner(solve, overallTime)
		defer cancel()
		if best, why[0] = w.within(overall, sharedTries, nil, w.shared); errors.Is(why[0], errBeyond) {
			why[0] = nil
		}
		if w.mayDiffer() && (best == nil || len(w.d.Groups) <= apartGroups) && !errors.Is(solve.Err(), context.Canceled) {
			var apart *proposal
			apart, why[1] = w.within(solve, apartTries, best, w.apart)
			offer(apart)
		}
	}
	if w.beside && w.mayDiffer() && solve.Err() == nil {
		free := *w
		free.beside, free.goal.MaxShift, free.goal.Nearest = false, nil, false
		if c, err := free.each(solve, free.goal); err == nil {
			c.shift = w.shiftOf(c)
			if beyond, over := w.beyond(c); beyond == nil && over == nil {
				offer(c)
			}
		}
	}
	return best, why
}

// mayDiffer reports whether groups may have mechanisms of their own. What merged values have in
// common is one mechanism: in the strata they have other shares of their records than their
// letter, so that several would tell more of them.
func (w *problem) mayDiffer() bool { return !w.parted || w.d.Rare.Other == "" }

// within is the best proposal found that keeps epsilon, of those that make gives for some epsilon.
// After one that is beyond, the next is for the epsilon that would do if the excess stayed as it
// is, and each after that for one between the last that did and the last that did not. Where the
// shift of a group is over its limit, all others are for a limit that is lower by as much. Stricter
// ones have no better floor, so the search ends where one is not better than another proposal.
// Nil, and why, where none is found.
func (w *problem) within(ctx context.Context, tries int, than *proposal,
	make func(context.Context, design.Goal) (*proposal, error)) (best *proposal, why error) {
	high := w.goal.Epsilon.Nats()
	low, at, limit := 0.0, high, w.goal.MaxShift
	for try := range tries {
		goal := w.goal
		if goal.MaxShift = limit; try > 0 {
			goal.Epsilon = mechanism.LogOf(factorOf(at))
		}
		c, err := make(ctx, goal)
		if err != nil && try == 0 { // nothing at all, or no time
			return nil, err
		}
		var beyond, over *big.Rat
		if err == nil {
			beyond, over = w.beyond(c)
		}
		switch {
		case beyond != nil:
			high, why = at, errBeyond
		case over != nil:
			why = errBeyond
		case err == nil && (best == nil || w.better(c, best)):
			best = c
		}
		if over != nil && limit.Sign() > 0 {
			if limit = new(big.Rat).Sub(limit, over); limit.Sign() < 0 {
				limit = new(big.Rat)
			}
			if beyond == nil && ctx.Err() == nil {
				continue // for the same epsilon
			}
		} else if beyond == nil { // kept, or nothing at so strict an epsilon
			low = at
		}
		if try == 0 && beyond == nil || ctx.Err() != nil || high-low < 1e-3 ||
			beyond != nil && than != nil && !w.better(c, than) {
			break
		}
		if at = (low + high) / 2; try == 0 {
			if excess := mechanism.Nats(beyond) - high; excess > 0 {
				at = max(at, high-excess)
			}
		}
	}
	return best, why
}

var errBeyond = errors.New("the design is beyond epsilon for some observer")

// beyond is the largest factor of a proposal, for whoever knows the group or does not, where that
// is above epsilon; and over is how far the shift of a group is above its limit, at most. Both are
// nil where they are kept, as the design of all records keeps what it was made for.
func (w *problem) beyond(c *proposal) (most, over *big.Rat) {
	if !w.parted && !w.beside {
		return nil, nil
	}
	above := func(f *big.Rat) {
		if !w.goal.Epsilon.Admits(f) && (most == nil || f.Cmp(most) > 0) {
			most = f
		}
	}
	for i := range c.group {
		g := &c.group[i]
		above(g.Mechanism.Factor(append(w.also(g), g.Prior)...))
	}
	if limit := w.goal.MaxShift; limit != nil && c.shift.Cmp(limit) > 0 {
		over = new(big.Rat).Sub(c.shift, limit)
	}
	if w.hide {
		above(w.unaware(c))
	}
	return most, over
}

// sooner leaves a share of the time that ctx has.
func sooner(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(end))))
}

// weigh fills in what c is compared by.
func (w *problem) weigh(c *proposal) *proposal {
	order := w.order.Order
	c.WorstRank, c.WorstValue = order.Outputs(), math.Inf(1)
	for i := range c.group {
		g := &c.group[i]
		if i > 0 && g.Mechanism == c.group[i-1].Mechanism {
			g.Rank, g.Value = c.group[i-1].Rank, c.group[i-1].Value
			continue
		}
		g.Rank, g.Value = g.Mechanism.Floor(order)
		c.WorstRank, c.WorstValue = min(c.WorstRank, g.Rank), min(c.WorstValue, g.Value)
	}
	c.ExpectedUtility = c.mean(w.d.Prior, mechanism.ValueWeights(order))
	if c.Weighted = c.ExpectedUtility; w.goal.Weights != nil {
		c.Weighted = c.mean(w.d.Prior, w.goal.Weights)
	}
	c.shift = w.shiftOf(c)
	return c
}

// shiftOf is the largest shift of a group, nil where it is neither to be made least nor looked at by beyond.
func (w *problem) shiftOf(c *proposal) *big.Rat {
	if !w.goal.Nearest && (w.goal.MaxShift == nil || !w.parted && !w.beside) {
		return nil
	}
	most := new(big.Rat)
	for _, g := range c.group {
		if d := g.Mechanism.Shares(g.Sample, w.goal.Stands).Shift; d.Cmp(most) > 0 {
			most = d
		}
	}
	return most
}

// mean is what is expected of a record by these weights.
func (c *proposal) mean(all mechanism.Prior, of mechanism.Weights) float64 {
	if c.rule != plan.Apart {
		return c.group[0].Mechanism.ExpectedWeight(all, of)
	}
	mean := 0.0
	for _, g := range c.group {
		if n := g.Prior.Total(); n > 0 {
			mean += float64(n) / float64(max(1, all.Total())) * g.Mechanism.ExpectedWeight(g.Prior, of)
		}
	}
	return mean
}

// better compares by floor, where that is to be the best, and then by what is preferred. A tie is
// none.
func (w *problem) better(a, b *proposal) bool {
	by := cmp.Compare(a.WorstRank, b.WorstRank)
	if w.goal.ByValue {
		by = cmp.Compare(a.WorstValue, b.WorstValue)
	}
	if w.goal.Floor == nil && by != 0 {
		return by > 0
	}
	if w.goal.Nearest && a.shift.Cmp(b.shift) != 0 {
		return a.shift.Cmp(b.shift) < 0
	}
	return a.Weighted > b.Weighted
}

// Solving bounds the time of a search; 0 sets no bound.
func Solving(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if most > 0 {
		return context.WithTimeout(ctx, most)
	}
	return ctx, func() {}
}

// shared is the design over all records.
func (w *problem) shared(ctx context.Context, goal design.Goal) (*proposal, error) {
	m, e, err := w.made(ctx, w.d.Prior, w.d.Sample, goal)
	if err != nil {
		return nil, err
	}
	c := &proposal{rule: plan.Shared, group: slices.Clone(w.d.Groups),
		Evidence: design.Evidence{Floor: e.Floor, Stopped: e.Stopped}}
	for i := range c.group {
		g := &c.group[i]
		g.Mechanism, g.Leakage = m, m.Leakage(g.Prior)
	}
	return w.weigh(c), nil
}

// apart has a mechanism for every group. What the outputs tell of the stratum is no matter of one
// group, so that a first design leaves time for stricter ones.
func (w *problem) apart(ctx context.Context, goal design.Goal) (*proposal, error) {
	if w.hide {
		own, cancel := sooner(ctx, overallTime)
		defer cancel()
		ctx = own
	}
	return w.each(ctx, goal)
}

// factorOf is about e^nats, and at least 1.
func factorOf(nats float64) *big.Rat {
	f := new(big.Rat).SetFloat64(math.Exp(max(0, min(nats, 700))))
	if f.Cmp(big.NewRat(1, 1)) < 0 {
		return big.NewRat(1, 1)
	}
	return f
}

// unaware is the factor of c for whoever does not know the stratum; with headroom,
// however the records of a value are shared among the strata that hold it.
func (w *problem) unaware(c *proposal) *big.Rat {
	p := &plan.Plan{Of: w.d.Of, Groups: c.group}
	readings := []*plan.Plan{p}
	if len(w.goal.Also) > 0 {
		readings = append(readings, p.Sampled())
	}
	most := big.NewRat(1, 1)
	for _, q := range readings {
		f := mechanism.Shifted(q.Parts())
		if !w.spare {
			_, f = mechanism.MixedLeakage(q.Parts()).Max()
		}
		if f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}
