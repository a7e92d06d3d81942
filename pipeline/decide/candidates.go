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
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

const (
	// sharedTries and apartTries are how many epsilons designs are tried at: one over all records,
	// or one for every group.
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
	shift           *big.Rat     // the largest of a group; nil where nothing was asked of it
}

// search is the best proposal.
func (w *problem) search(ctx context.Context, p *plan.Plan) (*proposal, error) {
	solve, cancel := Solving(ctx, w.asked.SolveTime)
	defer cancel()
	var best *proposal
	var why [2]error
	err := Interruptible(ctx, func() error {
		if w.parted {
			best, why = w.compare(solve)
		} else {
			best, why[0] = w.each(solve, w.goal)
		}
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

// compare is the better of one mechanism for all groups and one for each, and why there is no
// design for all records, and none for each group.
func (w *problem) compare(solve context.Context) (best *proposal, why [2]error) {
	overall, cancel := sooner(solve, overallTime)
	defer cancel()
	if best, why[0] = w.within(overall, sharedTries, nil, w.shared); errors.Is(why[0], errBeyond) {
		why[0] = nil
	}
	// What merged values have in common is one mechanism: in the strata they have other shares of
	// their records than their letter, so that several mechanisms would tell them apart.
	if w.d.Rare.Other == "" && !errors.Is(solve.Err(), context.Canceled) {
		var apart *proposal
		if apart, why[1] = w.within(solve, apartTries, best, w.apart); best == nil || apart != nil && w.better(apart, best) {
			best = apart
		}
	}
	return best, why
}

// within is the best proposal found that keeps epsilon, of those that make gives for some epsilon,
// with the factor where that is beyond. After one that is beyond, the next is for the epsilon that
// would do if the excess stayed as it is, and each after that for one between the last that did and
// the last that did not. Stricter ones have no better floor, so the search ends where one is not
// better than another proposal. Nil, and why, where none is found.
func (w *problem) within(ctx context.Context, tries int, than *proposal,
	make func(context.Context, design.Goal) (*proposal, *big.Rat, error)) (best *proposal, why error) {
	high := w.goal.Epsilon.Nats()
	low, at := 0.0, high
	for try := range tries {
		goal := w.goal
		if try > 0 {
			goal.Epsilon = mechanism.LogOf(factorOf(at))
		}
		c, beyond, err := make(ctx, goal)
		switch {
		case err != nil && try == 0: // nothing at all, or no time
			return nil, err
		case err != nil: // nothing at so strict an epsilon
			low = at
		case beyond != nil:
			high, why = at, errBeyond
		default:
			if low = at; best == nil || w.better(c, best) {
				best = c
			}
		}
		if try == 0 && beyond == nil || ctx.Err() != nil || high-low < 1e-3 ||
			beyond != nil && than != nil && !w.better(c, than) {
			break
		}
		if at = (low + high) / 2; try == 0 {
			at = max(high/2, high-(mechanism.Nats(beyond)-high))
		}
	}
	return best, why
}

var errBeyond = errors.New("the design is beyond epsilon for some observer")

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
	if w.goal.Nearest {
		c.shift = new(big.Rat)
		for i, g := range c.group {
			if d := g.Mechanism.Shares(w.d.Groups[i].Sample, w.goal.Stands).Shift; d.Cmp(c.shift) > 0 {
				c.shift = d
			}
		}
	}
	return c
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

// better compares by floor, then by what is preferred. A tie is none.
func (w *problem) better(a, b *proposal) bool {
	if by := byFloor(&w.goal, a.WorstRank, b.WorstRank, a.WorstValue, b.WorstValue); by != 0 {
		return by > 0
	}
	if w.goal.Nearest && a.shift.Cmp(b.shift) != 0 {
		return a.shift.Cmp(b.shift) < 0
	}
	return a.Weighted > b.Weighted
}

// byFloor compares two designs by the floor that they reach, where it is to be the best:
// above 0 where the first is the better one.
func byFloor(g *design.Goal, rank, rank2 int, value, value2 float64) int {
	switch {
	case g.Floor != nil:
		return 0
	case g.ByValue:
		return cmp.Compare(value, value2)
	}
	return cmp.Compare(rank, rank2)
}

// Solving bounds the time of a search; 0 sets no bound.
func Solving(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if most > 0 {
		return context.WithTimeout(ctx, most)
	}
	return ctx, func() {}
}

// shared is the design over all records, and its factor where that is beyond epsilon in a group.
func (w *problem) shared(ctx context.Context, goal design.Goal) (*proposal, *big.Rat, error) {
	m, e, err := made(ctx, w.d, w.order.Order, goal)
	if err != nil {
		return nil, nil, err
	}
	c := &proposal{rule: plan.Shared, group: slices.Clone(w.d.Groups),
		Evidence: design.Evidence{Floor: e.Floor, Stopped: e.Stopped}}
	leakage, beyond := w.keeps(m)
	for i := range c.group {
		if c.group[i].Mechanism = m; beyond == nil {
			c.group[i].Leakage = leakage[i]
		}
	}
	return w.weigh(c), beyond, nil
}

// factorOf is about e^nats, and at least 1.
func factorOf(nats float64) *big.Rat {
	f := new(big.Rat).SetFloat64(math.Exp(max(0, min(nats, 700))))
	if f.Cmp(big.NewRat(1, 1)) < 0 {
		return big.NewRat(1, 1)
	}
	return f
}

// keeps has the leakage of m in every group, or, where one is beyond epsilon,
// nil and its factor.
func (w *problem) keeps(m *mechanism.Mechanism) (leakage []mechanism.Leakage, beyond *big.Rat) {
	leakage = make([]mechanism.Leakage, len(w.d.Groups))
	for i, at := range w.first {
		g, limit := &w.d.Groups[at], w.goal.MaxShift
		l := m.Leakage(g.Prior)
		_, f := l.Max()
		if own := m.Factor(w.also(g)...); own.Cmp(f) > 0 {
			f = own
		}
		if !w.goal.Epsilon.Admits(f) {
			w.first = slices.Insert(slices.Delete(w.first, i, i+1), 0, at)
			return nil, f
		}
		if limit != nil && m.Shares(g.Sample, w.goal.Stands).Shift.Cmp(limit) > 0 {
			return nil, factorOf(w.goal.Epsilon.Nats())
		}
		leakage[at] = l
	}
	if w.hide {
		if f := m.Factor(slices.Concat(w.goal.Also, []mechanism.Prior{w.d.Prior})...); !w.goal.Epsilon.Admits(f) {
			return nil, f
		}
	}
	return leakage, nil
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
		f := composition.Shifted(q.Parts())
		if !w.spare {
			_, f = mechanism.MixedLeakage(q.Parts()).Max()
		}
		if f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// apart has a mechanism for every group, and its factor for whoever does not know the group where
// that is beyond epsilon: what the outputs tell of the stratum is no matter of one group.
func (w *problem) apart(ctx context.Context, goal design.Goal) (*proposal, *big.Rat, error) {
	if !w.hide {
		c, err := w.each(ctx, goal)
		return c, nil, err
	}
	own, cancel := sooner(ctx, overallTime)
	defer cancel()
	c, err := w.each(own, goal)
	if err != nil {
		return nil, nil, err
	}
	if f := w.unaware(c); !w.goal.Epsilon.Admits(f) {
		return c, f, nil
	}
	return c, nil, nil
}
