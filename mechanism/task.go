package mechanism

import (
	"context"
	"errors"
	"math"
	"math/big"
)

// A design is one way to make a mechanism. An entry in designs is all that a
// new one needs.
type design interface {
	kind() string
	// fits reports whether the task is small enough for "auto" to try this
	// design.
	fits(t *task) bool
	// settles reports whether the designs after this one cannot do better
	// where it has an answer.
	settles() bool
	// make is the design's best answer to the goal; errNothingFits where it
	// has none. A search may stop at the floor of rival: what is worse than
	// that will not be taken.
	make(ctx context.Context, t *task, rival *offer) (*offer, error)
	// least is the least factor that the design reaches at floor f or better;
	// nil where it reaches none.
	least(ctx context.Context, t *task, f Floor) (*big.Rat, error)
}

// designs in the order "auto" tries them.
var designs = []design{safeDesign{}, optimalDesign{}, flatDesign}

// A task is a goal with what all designs need to know about it.
type task struct {
	prior  Prior
	order  Order
	goal   Goal
	ladder *ladder
	points []Point  // every rank floor; nil where the task is about values
	values *descent // every candidate value floor; nil where it is about ranks
}

func newTask(p Prior, o Order, g Goal) (*task, error) {
	t := &task{prior: p, order: o, goal: g}
	lowest := math.Inf(-1)
	if g.Floor != nil {
		t.goal.ByValue = g.Floor.ByValue
		lowest = g.Floor.Value
	}
	var err error
	if t.ladder, err = climb(p, o); err != nil {
		return nil, err
	}
	if !t.goal.ByValue {
		t.points = t.ladder.byRank()
		if f := g.Floor; f != nil && f.Rank > o.Outputs() {
			return nil, &NoOutputError{0, *f}
		}
		return t, nil
	}
	t.values, err = t.ladder.descend(o, lowest)
	return t, err
}

// floors counts the candidate floors, place 0 being the best.
func (t *task) floors() int {
	if t.values != nil {
		return len(t.values.tau)
	}
	if t.goal.Floor != nil {
		return len(t.points) - max(1, t.goal.Floor.Rank) + 1
	}
	return len(t.points)
}

func (t *task) floor(place int) Floor {
	if t.values != nil {
		return ValueFloor(t.values.tau[place])
	}
	return RankFloor(len(t.points) - place)
}

// place is the inverse of floor.
func (t *task) place(f Floor) int {
	if t.values == nil {
		return len(t.points) - f.Rank
	}
	for i, v := range t.values.tau {
		if v <= f.Value {
			return i
		}
	}
	return len(t.values.tau)
}

func (t *task) support(f Floor) *Support {
	if f.ByValue {
		return SupportOf(t.order, f)
	}
	s := NewSupport(len(t.ladder.best), t.ladder.outputs)
	for x, b := range t.ladder.best {
		for _, y := range b[:min(len(b), t.ladder.outputs-max(1, f.Rank)+1)] {
			s.Allow(x, int(y))
		}
	}
	return s
}

func (t *task) offer(m *Mechanism, f Floor) *offer {
	_, factor := m.Leakage(t.prior).Max()
	return &offer{mechanism: m, floor: f, factor: factor, utility: m.expected(t.prior, t.weights())}
}

// weights are what the goal wants large.
func (t *task) weights() Weights {
	if t.goal.Weights != nil {
		return t.goal.Weights
	}
	return ValueWeights(t.order)
}

// better compares the floor first where the floor is what was searched, then
// expected utility, then the factor.
func (t *task) better(a, b *offer) bool {
	if t.goal.Floor == nil {
		if i, j := t.place(a.floor), t.place(b.floor); i != j {
			return i < j
		}
	}
	if a.utility != b.utility {
		return a.utility > b.utility
	}
	return a.factor.Cmp(b.factor) < 0
}

func (t *task) evidence(ctx context.Context, d *offer, chosen []design) (Evidence, error) {
	e := Evidence{
		Kind:            d.kind,
		Floor:           d.floor,
		Leakage:         d.mechanism.Leakage(t.prior),
		Weighted:        d.utility,
		ExpectedUtility: d.utility,
		Upper:           d.factor,
		Sampled:         t.values != nil && t.values.sampled,
	}
	if t.goal.Weights != nil {
		e.ExpectedUtility = d.mechanism.ExpectedUtility(t.prior, t.order)
	}
	e.Output, e.Factor = e.Leakage.Max()
	e.WorstRank, e.WorstValue = d.mechanism.Floor(t.order)
	s := t.support(d.floor)
	var err error
	if e.Lower, err = LowerBound(t.prior, s); err != nil {
		return e, err
	}
	e.Certificate, e.Worth = d.certificate, d.worth
	if c := e.Certificate; c != nil && c.Lower.Cmp(e.Lower) > 0 {
		e.Lower = c.Lower
	}
	if e.Upper.Cmp(e.Lower) > 0 {
		f, err := t.leastOf(ctx, chosen, d.floor)
		if f != nil && f.Cmp(e.Upper) < 0 {
			e.Upper = f
		}
		if err != nil && ctx.Err() == nil {
			return e, err
		}
	}
	e.UtilityUpperBound = UtilityBound(t.prior, t.order, s, t.goal.Epsilon.Factor())
	if d.worth != nil {
		if t.goal.Weights == nil {
			e.UtilityUpperBound = min(e.UtilityUpperBound, floatUp(d.worth.Upper))
		}
		e.UtilityGap = d.worth.gap(t.prior, s, t.weights())
	}
	e.UtilityUpperBound = max(e.UtilityUpperBound, e.ExpectedUtility) // roundings
	if i := t.place(d.floor); t.goal.Floor == nil && i > 0 {
		next := t.floor(i - 1)
		if f, err := t.leastOf(ctx, chosen, next); err != nil && ctx.Err() == nil {
			return e, err
		} else if f != nil {
			e.Next = &Threshold{next, f}
		}
	}
	return e, nil
}

func (t *task) leastOf(ctx context.Context, chosen []design, f Floor) (*big.Rat, error) {
	var least *big.Rat
	for _, d := range chosen {
		if len(chosen) > 1 && !d.fits(t) {
			continue
		}
		g, err := d.least(ctx, t, f)
		if err != nil {
			return least, err
		}
		if g != nil && (least == nil || g.Cmp(least) < 0) {
			least = g
		}
		if g != nil && d.settles() && ctx.Err() == nil {
			break
		}
	}
	return least, nil
}

// unreachable finds what could be had instead.
func (t *task) unreachable(ctx context.Context, chosen []design) error {
	e := &UnreachableError{Epsilon: t.goal.Epsilon}
	var err error
	if t.goal.Floor != nil {
		e.AtFloor = *t.goal.Floor
		free := t.goal
		free.Floor = nil
		free.ByValue = t.goal.Floor.ByValue
		if _, ev, err := Design(ctx, t.prior, t.order, free); err == nil {
			e.Best = &ev.Floor
		}
		e.Least, err = t.leastOf(ctx, chosen, e.AtFloor)
	} else {
		e.AtFloor = t.floor(t.floors() - 1)
		e.Least, err = t.leastOf(ctx, chosen, e.AtFloor)
	}
	if err != nil && !errors.Is(err, ctx.Err()) {
		return err
	}
	return e
}

// floatUp is the least float64 at or above v.
func floatUp(v *big.Rat) float64 {
	f, exact := v.Float64()
	if !exact && new(big.Rat).SetFloat64(f).Cmp(v) < 0 {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}
