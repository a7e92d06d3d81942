package frontier

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Floors are the candidate floors of an order under a prior, from the best at
// place 0 down: what a design is searched over. They are safe for concurrent
// use.
type Floors struct {
	prior  mechanism.Prior
	also   []mechanism.Prior // under which factors are counted, too
	order  mechanism.Order
	floor  []mechanism.Floor // by place
	steps  *descent          // over them
	levels *levels           // instead of that, for a large tree; else nil
	stop   *stopper
}

// NewFloors lists the rank floors of an order or, if byValue, its distinct
// utilities, of which it takes a sample beyond 2^18 allowed cells. Where given
// is not nil it says which of the two, and floors below it are left out. It
// fails with *NoOutputError, and where ctx is cancelled: a deadline is for searches,
// and this is none. Factors are the largest under p and the priors that follow.
func NewFloors(ctx context.Context, p mechanism.Prior, o mechanism.Order, byValue bool, given *mechanism.Floor,
	also ...mechanism.Prior) (*Floors, error) {
	return newFloors(p, o, byValue, given, false, cancelled(ctx), also)
}

// newFloors is NewFloors, with the mean utility of rank floors on demand.
func newFloors(p mechanism.Prior, o mechanism.Order, byValue bool, given *mechanism.Floor, means bool, stop *stopper,
	also []mechanism.Prior) (*Floors, error) {
	c := &Floors{prior: p, also: also, order: o, stop: stop}
	lowest, worst := math.Inf(-1), 1 // by value and by rank
	if given != nil {
		byValue = given.ByValue
		lowest, worst = given.Value, given.Rank
	}
	var err error
	if t := treeOf(o, byValue); t != nil {
		c.levels, c.floor, err = newLevels(t, lowest, stop, append([]mechanism.Prior{p}, also...)...)
		return c, err
	}
	l, err := climb(p, o, means, stop, also...)
	if err != nil {
		return nil, err
	}
	if byValue {
		if c.steps, err = l.values(o, lowest); err != nil {
			return nil, err
		}
		c.floor = c.steps.floor
		return c, nil
	}
	least := o.Outputs() - l.reach + 1
	if given != nil && worst < least {
		return nil, &WideError{Floor: *given, Least: mechanism.RankFloor(least)}
	}
	if worst > o.Outputs() {
		return nil, &mechanism.NoOutputError{Letter: 0, Floor: *given}
	}
	c.steps = l.ranks(worst)
	c.floor = c.steps.floor
	return c, stop.err()
}

// ListedCells is the size up to which a table of letters by outputs is made of an order
// that can do without: beyond, only so many of the best outputs of each letter are
// looked at.
const ListedCells = 12_000_000

// A WideError says that a floor leaves too many outputs to so many letters.
type WideError struct {
	Floor mechanism.Floor
	Least mechanism.Floor // the lowest floor that does not
}

func (e *WideError) Error() string {
	return fmt.Sprintf("mechanism: %v leaves too many outputs to so many letters; %v does not", e.Floor, e.Least)
}

// Err is not nil once the floors' context was cancelled: what they say from then
// on may be of unfinished work.
func (c *Floors) Err() error { return c.stop.err() }

// Len counts the floors.
func (c *Floors) Len() int { return len(c.floor) }

// ByValue reports whether the floors are values.
func (c *Floors) ByValue() bool { return len(c.floor) > 0 && c.floor[0].ByValue }

// Sampled reports whether not every distinct utility is among the floors.
func (c *Floors) Sampled() bool { return c.steps != nil && c.steps.sampled }

// At is the floor at a place.
func (c *Floors) At(place int) mechanism.Floor { return c.floor[place] }

// Place is the inverse of At; for one that is no candidate, the place of the next one
// below it.
func (c *Floors) Place(f mechanism.Floor) int {
	place, _ := slices.BinarySearchFunc(c.floor, f, func(g, f mechanism.Floor) int {
		if f.ByValue {
			return cmp.Compare(f.Value, g.Value)
		}
		return cmp.Compare(f.Rank, g.Rank)
	})
	return place
}

// Weights are the values of the order, those of outputs alone that some floor allows.
func (c *Floors) Weights() mechanism.Weights {
	if c.steps == nil || c.steps.reach == c.steps.outputs {
		return mechanism.ValueWeights(c.order)
	}
	return func(x int, row []float64) { mechanism.ValuesAt(c.order, x, c.steps.best[x], row) }
}

// Support is what f allows.
func (c *Floors) Support(f mechanism.Floor) *mechanism.Support {
	if f.ByValue {
		return mechanism.SupportOf(c.order, f)
	}
	s := mechanism.NewSupport(len(c.steps.best), c.steps.outputs)
	for x, b := range c.steps.best {
		for _, y := range b[:min(len(b), c.steps.outputs-max(1, f.Rank)+1)] {
			s.Allow(x, int(y))
		}
	}
	return s
}

// SafeWithin is the best place at which the utility-safe mechanism is within
// e, -1 where there is none.
func (c *Floors) SafeWithin(e mechanism.Epsilon) int {
	if c.levels != nil {
		return c.levels.within(e)
	}
	return c.steps.safe(e)
}

// SafeCost is the least factor of the utility-safe mechanism at f or better.
func (c *Floors) SafeCost(f mechanism.Floor) *big.Rat {
	end := min(c.Place(f)+1, c.Len())
	if c.levels == nil {
		return c.steps.cheapest(end)
	}
	if c.Place(f) < c.Len() {
		return c.levels.cost[end-1] // it falls along the floors
	}
	return nil
}
