package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/strata"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

const (
	// apartCells bounds the cells of all mechanisms of a plan together.
	apartCells = 1 << 22
	// apartGroups bounds the mechanisms of a plan.
	apartGroups = 256
	// overallTries is how many stricter factors the design over all records is
	// tried at, and overallTime the share of the time for it.
	overallTries = 6
	overallTime  = .4
	// valueFloors is how many floors by value are tried at the most.
	valueFloors = 512
)

// A stratified design is looked for in groups of strata.
type stratified struct {
	o     *Options
	all   mechanism.Prior
	prior []mechanism.Prior // by group
	order mechanism.Order
	goal  mechanism.Goal
	first []int // groups, that which last refused a mechanism first
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
	gap     float64
	stopped bool
}

// stratify decides the mechanisms of p, whose order is set, within goal.
func (o *Options) stratify(ctx context.Context, p *plan.Plan, d *domain, s *source, order *utility.Result, goal mechanism.Goal) error {
	groups, err := s.groups(ctx, o, d)
	if err != nil {
		return err
	}
	w := &stratified{o: o, all: p.Prior, order: p.Order, goal: goal}
	for i, g := range groups {
		prior, err := mechanism.NewPrior(g.Count)
		if err != nil {
			return err
		}
		w.prior, w.first = append(w.prior, prior), append(w.first, i)
	}
	solve, cancel := o.solving(ctx)
	defer cancel()
	overall, cancel := sooner(solve, overallTime)
	defer cancel()
	free, evidence, failed := mechanism.Design(overall, w.all, w.order, goal)
	tried := []plan.Tried{{}}
	if failed == nil {
		tried[0] = plan.Tried{Found: true, Rank: evidence.WorstRank, Value: evidence.WorstValue, Expected: evidence.ExpectedUtility}
	}
	shared := w.shared(overall, free, evidence)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	apart, why := w.apart(solve)
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
			return faultf(Environment, "give more time with --solve-time, or choose --design safe", "no design for all strata was found within %v", o.SolveTime)
		}
		return explain(cmp.Or(failed, why), d, order, goal)
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

// shared is the best mechanism found that keeps epsilon in every group: the
// design over all records, at stricter factors until it does, and the
// utility-safe mechanisms from the best floor on. Nil where none is found.
func (w *stratified) shared(ctx context.Context, free *mechanism.Mechanism, e mechanism.Evidence) *proposal {
	var best *proposal
	offer := func(m *mechanism.Mechanism, shape mechanism.Floor, stopped bool) (worst *big.Rat) {
		leakage, worst := w.keeps(m)
		if leakage == nil {
			return worst
		}
		c := &proposal{rule: plan.Shared, leakage: leakage, shape: shape, stopped: stopped}
		for range w.prior {
			c.law = append(c.law, m)
		}
		if w.settle(c); best == nil || w.better(c, best) {
			best = c
		}
		return nil
	}
	if kind := w.goal.Kind; kind == "" || kind == "auto" || kind == "safe" {
		for _, f := range w.floors() {
			m, err := mechanism.Safe(w.all, w.order, f)
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
	// Within epsilon in every group somewhere between factor 1 and the target.
	high := w.goal.Epsilon.Nats()
	low, at := 0.0, max(0, high-(mechanism.Nats(worst)-high))
	for range overallTries {
		goal := w.goal
		goal.Epsilon = mechanism.LogOf(factorOf(at))
		m, e, err := mechanism.Design(ctx, w.all, w.order, goal)
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
	if f.Cmp(one()) < 0 {
		return one()
	}
	return f
}

// keeps has the leakage of m in every group, or, where one is beyond epsilon,
// nil and its factor.
func (w *stratified) keeps(m *mechanism.Mechanism) (leakage []mechanism.Leakage, beyond *big.Rat) {
	leakage = make([]mechanism.Leakage, len(w.prior))
	for i, g := range w.first {
		l := m.Leakage(w.prior[g])
		if _, f := l.Max(); !w.goal.Epsilon.Admits(f) {
			w.first = slices.Insert(slices.Delete(w.first, i, i+1), 0, g)
			return nil, f
		}
		leakage[g] = l
	}
	return leakage, nil
}

// floors are those to try, the best first.
func (w *stratified) floors() []mechanism.Floor {
	if w.goal.Floor != nil {
		return []mechanism.Floor{*w.goal.Floor}
	}
	var out []mechanism.Floor
	if !w.goal.ByValue {
		for h := w.order.Outputs(); h >= 1; h-- {
			out = append(out, mechanism.RankFloor(h))
		}
		return out
	}
	var all []float64
	row := make([]float64, w.order.Outputs())
	for x := range w.order.Inputs() {
		w.order.Row(x, nil, row)
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

var errNoRoom = errors.New("too many mechanisms")

// apart designs every group for its own records. Nil, and why, where one has
// no mechanism within epsilon.
func (w *stratified) apart(ctx context.Context) (*proposal, error) {
	if n := len(w.prior); n > apartGroups || n*w.order.Inputs()*w.order.Outputs() > apartCells {
		return nil, errNoRoom
	}
	c := &proposal{rule: plan.Apart, law: make([]*mechanism.Mechanism, len(w.prior)), leakage: make([]mechanism.Leakage, len(w.prior))}
	evidence := make([]mechanism.Evidence, len(w.prior))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(w.o))
	share := min(1, float64(threads(w.o))/float64(len(w.prior)))
	start := time.Now()
	for g, prior := range w.prior {
		work.Go(func() (err error) {
			own, cancel := each, context.CancelFunc(func() {})
			if end, ok := ctx.Deadline(); ok {
				own, cancel = context.WithTimeout(each, time.Duration(share*float64(end.Sub(start))))
			}
			defer cancel()
			c.law[g], evidence[g], err = mechanism.Design(own, prior, w.order, w.goal)
			if err != nil && own.Err() != nil && w.goal.Kind != "flat" && w.goal.Kind != "optimal" {
				goal := w.goal
				goal.Kind = "safe"
				c.law[g], evidence[g], err = mechanism.Design(context.WithoutCancel(ctx), prior, w.order, goal)
				evidence[g].Stopped = true
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for g, e := range evidence {
		c.leakage[g] = e.Leakage
		if g == 0 || e.Floor.ByValue && e.Floor.Value < c.shape.Value || !e.Floor.ByValue && e.Floor.Rank < c.shape.Rank {
			c.shape = e.Floor
		}
		c.stopped, c.gap = c.stopped || e.Stopped, max(c.gap, e.UtilityGap)
	}
	w.settle(c)
	return c, nil
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
	c.mean = w.mean(c)
}

// mean is the expected utility of a record.
func (w *stratified) mean(c *proposal) float64 {
	if c.rule == plan.Shared {
		return c.law[0].ExpectedUtility(w.all, w.order)
	}
	mean := 0.0
	for g, m := range c.law {
		if w.prior[g].Total() > 0 {
			mean += w.share(g) * m.ExpectedUtility(w.prior[g], w.order)
		}
	}
	return mean
}

// share is that of a group in all records.
func (w *stratified) share(g int) float64 {
	return float64(w.prior[g].Total()) / float64(max(1, w.all.Total()))
}

// better compares by floor, then by expected utility. A tie is none.
func (w *stratified) better(a, b *proposal) bool {
	switch {
	case w.goal.Floor == nil && w.goal.ByValue && a.value != b.value:
		return a.value > b.value
	case w.goal.Floor == nil && !w.goal.ByValue && a.rank != b.rank:
		return a.rank > b.rank
	}
	return a.mean > b.mean
}

// decide writes c into the plan.
func (w *stratified) decide(p *plan.Plan, c *proposal, groups []strata.Group, tried []plan.Tried) {
	spec, _ := w.o.strata() // was read before
	s := &plan.Strata{Column: spec.Column, Function: spec.Function, Least: w.o.leastStratum(), Rule: c.rule, Tried: tried}
	for i, g := range groups {
		e := plan.Group{Names: g.Names, Rest: g.Rest, Prior: w.prior[i], Mechanism: c.law[i], Leakage: c.leakage[i]}
		e.Rank, e.Value = e.Mechanism.Floor(w.order)
		if e.Prior.Total() > 0 {
			e.Expected = e.Mechanism.ExpectedUtility(e.Prior, w.order)
		}
		s.Groups = append(s.Groups, e)
	}
	p.Strata, p.Leakage, p.Kind = s, s.Mixed(), "strata"
	p.Floor, p.Rank, p.Value = c.shape, c.rank, c.value
	p.Expected, p.Stopped, p.Gap = c.mean, c.stopped, c.gap
	p.Lower, p.Upper = one(), p.Factor()
	p.UpperBound = max(p.Expected, bestUtility(w.all, w.order))
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
