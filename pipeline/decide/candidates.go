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
	free, evidence, failed := made(overall, w.d, w.order.Order, w.goal)
	best = w.shared(overall, free, evidence)
	if why[0] = failed; !errors.Is(solve.Err(), context.Canceled) {
		var apart *proposal
		if apart, why[1] = w.apart(solve, best); best == nil || apart != nil && w.better(apart, best) {
			best = apart
		}
	}
	return best, why
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

// shared is the best mechanism found that keeps epsilon in every group: the
// design over all records, at stricter factors until it does, and the
// utility-safe mechanisms from the best floor on. Nil where none is found.
func (w *problem) shared(ctx context.Context, free *mechanism.Mechanism, e design.Evidence) *proposal {
	var best *proposal
	order := w.order.Order
	offer := func(m *mechanism.Mechanism, shape mechanism.Floor, stopped bool) (worst *big.Rat) {
		leakage, worst := w.keeps(m)
		if leakage == nil {
			return worst
		}
		c := &proposal{rule: plan.Shared, group: slices.Clone(w.d.Groups),
			Evidence: design.Evidence{Floor: shape, Stopped: stopped}}
		for i := range c.group {
			c.group[i].Mechanism, c.group[i].Leakage = m, leakage[i]
		}
		if w.weigh(c); best == nil || w.better(c, best) {
			best = c
		}
		return nil
	}
	if kind := w.goal.Kind; kind == "" || kind == "auto" || kind == "safe" {
		for _, f := range w.floors() {
			m, err := mechanism.Safe(w.d.Prior, order, f)
			if err == nil && offer(m, f, false) == nil || ctx.Err() != nil {
				break
			}
		}
	}
	if free == nil {
		return best
	}
	worst := offer(free, e.Floor, e.Stopped)
	if worst == nil {
		return best
	}
	goal := w.goal
	goal.Also = slices.Clone(goal.Also)
	for _, g := range w.d.Groups {
		goal.Also = append(goal.Also, g.Prior)
	}
	if len(w.goal.Also) > 0 {
		for _, g := range w.d.Groups {
			goal.Also = append(goal.Also, g.Sample)
		}
	}
	if n := len(goal.Also) - len(w.goal.Also); !counted(goal) && n*order.Inputs()*order.Outputs() <= togetherCells {
		if m, e, err := design.Make(ctx, w.d.Prior, order, goal); err == nil {
			offer(m, e.Floor, e.Stopped)
		}
		return best
	}
	// Within epsilon in every group somewhere between factor 1 and the target.
	high := w.goal.Epsilon.Nats()
	low, at := 0.0, max(0, high-(mechanism.Nats(worst)-high))
	for range overallTries {
		goal := w.goal
		goal.Epsilon = mechanism.LogOf(factorOf(at))
		m, e, err := made(ctx, w.d, order, goal)
		if err == nil && offer(m, e.Floor, e.Stopped) == nil {
			low = at
		} else {
			high = at
		}
		if at = (low + high) / 2; ctx.Err() != nil || high-low < 1e-3 {
			break
		}
	}
	return best
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
		g, limit := &w.d.Groups[at], w.limit[at]
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

// floors are those to try, the best first.
func (w *problem) floors() []mechanism.Floor {
	if w.goal.Floor != nil {
		return []mechanism.Floor{*w.goal.Floor}
	}
	var out []mechanism.Floor
	if !w.goal.ByValue {
		for h := w.order.Order.Outputs(); h >= 1; h-- {
			out = append(out, mechanism.RankFloor(h))
		}
		return out
	}
	var all []float64
	row := make([]float64, w.order.Order.Outputs())
	for x := range w.order.Order.Inputs() {
		w.order.Order.Row(x, nil, row)
		all = append(all, row...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	all = slices.DeleteFunc(all, func(v float64) bool { return math.IsInf(v, -1) })
	step := max(1, float64(len(all))/valueFloors)
	for at := float64(len(all) - 1); at >= 0; at -= step {
		out = append(out, mechanism.ValueFloor(all[int(at)]))
	}
	return out
}

// unaware is the factor of c for whoever does not know the stratum; with headroom,
// however the records of a value are shared among the strata that hold it. Values
// that are drawn alike in every stratum are looked at one by one: each has other
// shares of its records there.
func (w *problem) unaware(c *proposal) (*big.Rat, error) {
	p := &plan.Plan{Of: w.d.Of}
	var err error
	if p.Groups, err = w.classes.wider(c.group); err != nil {
		return nil, err
	}
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
	return most, nil
}

// apart is the best proposal found with a mechanism for every group. What the
// outputs tell of the stratum is no matter of one group: where that takes
// whoever does not know it beyond epsilon, all groups are designed again at
// stricter ones, from the first that would do if the excess stayed as it is.
// Stricter ones have no better floor, so the search ends where one is not better
// than another proposal. Nil, and why, where none is found.
func (w *problem) apart(ctx context.Context, than *proposal) (*proposal, error) {
	var best *proposal
	var why error
	high := w.goal.Epsilon.Nats()
	low, at := 0.0, high
	for try := range apartTries {
		goal := w.goal
		if try > 0 {
			goal.Epsilon = mechanism.LogOf(factorOf(at))
		}
		own, cancel := ctx, context.CancelFunc(func() {})
		if w.hide {
			own, cancel = sooner(ctx, overallTime)
		}
		c, err := w.each(own, goal)
		cancel()
		f := (*big.Rat)(nil)
		if err == nil && w.hide {
			if f, err = w.unaware(c); err == nil && !w.goal.Epsilon.Admits(f) {
				err = errTells
			}
		}
		switch {
		case err == nil:
			if best == nil || w.better(c, best) {
				best = c
			}
			low = at
		case f == nil: // nothing at all at this epsilon, or no time
			return best, cmp.Or(why, err)
		default:
			why, high = err, at
		}
		if try == 0 && err == nil || ctx.Err() != nil || high-low < 1e-3 || err != nil && than != nil && !w.better(c, than) {
			break
		}
		if at = (low + high) / 2; try == 0 {
			at = max(high/2, high-(mechanism.Nats(f)-high))
		}
	}
	return best, why
}

var errTells = errors.New("the outputs tell of the stratum")
