package mechanism

import (
	"context"
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
	solved map[Floor]bracket
}

// A bracket is what a search for the least factor has left.
type bracket struct {
	mechanism   *Mechanism
	certificate Certificate
}

func newTask(p Prior, o Order, g Goal) (*task, error) {
	t := &task{prior: p, order: o, goal: g, solved: make(map[Floor]bracket)}
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
