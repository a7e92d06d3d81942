package design

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A design is one way to make a mechanism. An entry in designs is all that a
// new one needs.
type design interface {
	kind() string
	// words say in a sentence what the design is.
	words() string
	// fits reports whether the task is small enough for "auto" to try this
	// design.
	fits(t *task) bool
	// settles reports whether the designs after this one cannot do better
	// under one prior where it has an answer.
	settles() bool
	// make is the design's best answer to the goal; errNothingFits where it
	// has none. A search may stop at the floor of rival: what is worse than
	// that will not be taken.
	make(ctx context.Context, t *task, rival *offer) (*offer, error)
	// least is the least factor that the design reaches at floor f or better;
	// nil where it reaches none.
	least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error)
}

// designs in the order "auto" tries them.
var designs = []design{
	safeDesign{},
	blocksDesign{},
	groupedDesign{},
	optimalDesign{},
	mixedDesign{},
	recoveryDesign{},
}

// A task is a goal with what all designs need to know about it.
type task struct {
	*frontier.Floors
	prior  mechanism.Prior
	order  mechanism.Order
	goal   Goal
	solved map[mechanism.Floor]bracket

	again func(context.Context, Goal) (*mechanism.Mechanism, Evidence, error) // Make, for another goal
}

// A bracket is what a search for the least factor has left.
type bracket struct {
	mechanism *mechanism.Mechanism
	optimum.Certificate
	whole bool // it was not for a decision only
}

func newTask(ctx context.Context, p mechanism.Prior, o mechanism.Order, g Goal) (*task, error) {
	floors, err := frontier.NewFloors(ctx, p, o, g.ByValue, g.Floor, g.Also...)
	if err != nil {
		return nil, err
	}
	g.ByValue = floors.ByValue()
	return &task{Floors: floors, prior: p, order: o, goal: g, solved: make(map[mechanism.Floor]bracket)}, nil
}

// settles reports whether the designs after d cannot do better where it has an answer.
// Under several priors no design is known to be the best.
func (t *task) settles(d design) bool { return d.settles() && len(t.goal.Also) == 0 }

// cells is N M.
func (t *task) cells() int { return t.order.Inputs() * t.order.Outputs() }

func (t *task) offer(m *mechanism.Mechanism, f mechanism.Floor) *offer {
	l := m.Leakage(t.prior)
	_, factor := l.Max()
	if f := m.Factor(t.goal.Also...); f.Cmp(factor) > 0 {
		factor = f
	}
	w := t.worth(m)
	return &offer{mechanism: m, Evidence: Evidence{Floor: f, Leakage: l, Factor: factor, Upper: factor, Weighted: w,
		ExpectedUtility: w}}
}

// worth is what the goal wants large.
func (t *task) worth(m *mechanism.Mechanism) float64 {
	if t.goal.Weights == nil {
		return m.ExpectedUtility(t.prior, t.order)
	}
	return m.ExpectedWeight(t.prior, t.goal.Weights)
}

// weights are what the goal wants large.
func (t *task) weights() mechanism.Weights {
	if t.goal.Weights != nil {
		return t.goal.Weights
	}
	return t.Weights()
}

// ties is the utility, in parts of it, that tells two designs apart where shares are asked
// for.
const ties = 1e-9

// better compares the floor first where the floor is what was searched, then, where the
// goal is to come nearest, the shift, in which the program may be off by its gap, then
// expected utility, then the factor. Where shares are asked for, what the program proves
// wins ties.
func (t *task) better(a, b *offer) bool {
	if t.goal.Floor == nil {
		if i, j := t.Place(a.Floor), t.Place(b.Floor); i != j {
			return i < j
		}
	}
	if t.goal.Nearest {
		i, j := t.shift(a), t.shift(b)
		off, _ := new(big.Rat).Sub(i, j).Float64()
		if math.Abs(off) > optimum.Gap {
			return off < 0
		}
	}
	if proven := a.proven(); t.goal.counted() && proven != b.proven() &&
		math.Abs(a.Weighted-b.Weighted) <= ties*max(1, math.Abs(b.Weighted)) {
		return proven
	}
	if a.Weighted != b.Weighted {
		return a.Weighted > b.Weighted
	}
	return a.Factor.Cmp(b.Factor) < 0
}

// proven reports whether what an offer is worth is held against a bound.
func (o *offer) proven() bool { return o.Shares != nil && o.Shares.Worth != nil }
