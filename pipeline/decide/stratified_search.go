package decide

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
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// shared is the best mechanism found that keeps epsilon in every group: the
// design over all records, at stricter factors until it does, and the
// utility-safe mechanisms from the best floor on. Nil where none is found.
func (w *stratified) shared(ctx context.Context, free *mechanism.Mechanism, e design.Evidence) *proposal {
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
	if !counted(w.goal) && (len(w.prior)+len(w.own))*w.order.Inputs()*w.order.Outputs() <= togetherCells {
		goal := w.goal
		goal.Also = slices.Concat(goal.Also, w.prior, w.own)
		if m, e, err := design.Make(ctx, w.all, w.order, goal); err == nil {
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
		m, e, err := made(ctx, w.d, w.order, goal)
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
func (w *stratified) keeps(m *mechanism.Mechanism) (leakage []mechanism.Leakage, beyond *big.Rat) {
	leakage = make([]mechanism.Leakage, len(w.prior))
	for i, g := range w.first {
		l := m.Leakage(w.prior[g])
		_, f := l.Max()
		if own := m.Factor(w.alsoOf(g)...); own.Cmp(f) > 0 {
			f = own
		}
		if !w.goal.Epsilon.Admits(f) {
			w.first = slices.Insert(slices.Delete(w.first, i, i+1), 0, g)
			return nil, f
		}
		if w.limit != nil && m.Shares(w.held[g], w.goal.Stands).Shift.Cmp(w.limit[g]) > 0 {
			return nil, factorOf(w.goal.Epsilon.Nats())
		}
		leakage[g] = l
	}
	if w.hide {
		if f := m.Factor(slices.Concat(w.goal.Also, []mechanism.Prior{w.all})...); !w.goal.Epsilon.Admits(f) {
			return nil, f
		}
	}
	return leakage, nil
}

// alsoOf are the priors of a group that epsilon holds under beside its own.
func (w *stratified) alsoOf(group int) []mechanism.Prior {
	if w.own == nil || w.own[group].Total() == 0 {
		return nil
	}
	return w.own[group : group+1]
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

// unaware is the factor of c for whoever does not know the stratum; with headroom,
// however the records of a value are shared among the strata that hold it. Values
// that are drawn alike in every stratum are looked at one by one: each has other
// shares of its records there.
func (w *stratified) unaware(c *proposal) (*big.Rat, error) {
	p := &plan.Plan{Of: w.d.Of, Groups: slices.Clone(w.d.Groups)}
	for g := range p.Groups {
		p.Groups[g].Mechanism, p.Groups[g].Leakage = c.law[g], c.leakage[g]
	}
	if w.merged != nil {
		var err error
		if p.Groups, err = w.merged.fold.Wider(c.law); err != nil {
			return nil, err
		}
	}
	readings := []*plan.Plan{p}
	if w.own != nil {
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
	return most, nil
}

// apart is the best proposal found with a mechanism for every group. What the
// outputs tell of the stratum is no matter of one group: where that takes
// whoever does not know it beyond epsilon, all groups are designed again at
// stricter ones, from the first that would do if the excess stayed as it is.
// Stricter ones have no better floor, so the search ends where one is not better
// than another proposal. Nil, and why, where none is found.
func (w *stratified) apart(ctx context.Context, than *proposal) (*proposal, error) {
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

var errNoRoom = errors.New("too many mechanisms")

// each designs every group for its own records. Nil, and why, where one has no
// mechanism within epsilon.
func (w *stratified) each(ctx context.Context, goal design.Goal) (*proposal, error) {
	if n := len(w.prior); n > apartGroups || n*w.order.Inputs()*w.order.Outputs() > apartCells {
		return nil, errNoRoom
	}
	c := &proposal{rule: plan.Apart, law: make([]*mechanism.Mechanism, len(w.prior)), leakage: make([]mechanism.Leakage,
		len(w.prior))}
	evidence := make([]design.Evidence, len(w.prior))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(w.asked.Workers)
	share := min(1, float64(w.asked.Workers)/float64(len(w.prior)))
	start := time.Now()
	for g := range w.prior {
		work.Go(func() (err error) {
			d, goal := w.groupOf(g), goal
			goal.Also = w.alsoOf(g)
			if w.limit != nil {
				goal.MaxShift = w.limit[g]
			}
			if w.held[g].Total() == 0 { // without records nothing is shifted
				goal.MaxShift, goal.Nearest = nil, false
			}
			own, cancel := each, context.CancelFunc(func() {})
			if end, ok := ctx.Deadline(); ok {
				own, cancel = context.WithTimeout(each, time.Duration(share*float64(end.Sub(start))))
			}
			defer cancel()
			c.law[g], evidence[g], err = made(own, d, w.order, goal)
			if err != nil && own.Err() != nil && slices.Contains([]string{"", "auto", "safe"}, goal.Kind) {
				goal.Kind = "safe"
				c.law[g], evidence[g], err = made(context.WithoutCancel(ctx), d, w.order, goal)
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
