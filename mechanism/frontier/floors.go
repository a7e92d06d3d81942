package frontier

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Floors are the candidate floors of an order under a prior, from the best at
// place 0 down: what a design is searched over. They are safe for concurrent
// use.
type Floors struct {
	prior  mechanism.Prior
	also   []mechanism.Prior // under which factors are counted, too
	order  mechanism.Order
	least  int // the worst rank floor
	ladder *ladder
	points []Point  // every rank floor; nil where the floors are values
	values *descent // every candidate value floor; nil where they are ranks
	levels *levels  // instead of all of these, for a large tree; else nil
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
	c := &Floors{prior: p, also: also, order: o, least: 1, stop: stop}
	lowest := math.Inf(-1)
	if given != nil {
		byValue = given.ByValue
		lowest = given.Value
	}
	var err error
	if t := treeOf(o, byValue); t != nil {
		c.levels, err = newLevels(t, lowest, stop, append([]mechanism.Prior{p}, also...)...)
		return c, err
	}
	if c.ladder, err = climb(p, o, means, stop, also...); err != nil {
		return nil, err
	}
	if !byValue {
		c.points = c.ladder.byRank()
		c.least = o.Outputs() - c.ladder.reach + 1
		if given != nil {
			if given.Rank < c.least {
				return nil, &WideError{Floor: *given, Least: mechanism.RankFloor(c.least)}
			}
			if given.Rank > o.Outputs() {
				return nil, &mechanism.NoOutputError{Letter: 0, Floor: *given}
			}
			c.least = max(c.least, given.Rank)
		}
		return c, stop.err()
	}
	c.values, err = c.ladder.descend(o, lowest)
	return c, err
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
func (c *Floors) Len() int {
	switch {
	case c.levels != nil:
		return len(c.levels.tau)
	case c.values != nil:
		return len(c.values.tau)
	}
	return len(c.points) - c.least + 1
}

// ByValue reports whether the floors are values.
func (c *Floors) ByValue() bool { return c.values != nil || c.levels != nil }

// Sampled reports whether not every distinct utility is among the floors.
func (c *Floors) Sampled() bool { return c.values != nil && c.values.sampled }

// At is the floor at a place.
func (c *Floors) At(place int) mechanism.Floor {
	switch {
	case c.levels != nil:
		return mechanism.ValueFloor(c.levels.tau[place])
	case c.values != nil:
		return mechanism.ValueFloor(c.values.tau[place])
	}
	return mechanism.RankFloor(len(c.points) - place)
}

// Place is the inverse of At; for a value that is no candidate, the place of
// the next one below it.
func (c *Floors) Place(f mechanism.Floor) int {
	switch {
	case c.levels != nil:
		return c.levels.at(f)
	case c.values == nil:
		return len(c.points) - f.Rank
	}
	for i, v := range c.values.tau {
		if v <= f.Value {
			return i
		}
	}
	return len(c.values.tau)
}

// Weights are the values of the order, those of outputs alone that some floor allows.
func (c *Floors) Weights() mechanism.Weights {
	if c.ladder == nil || c.ladder.reach == c.ladder.outputs {
		return mechanism.ValueWeights(c.order)
	}
	return func(x int, row []float64) { mechanism.ValuesAt(c.order, x, c.ladder.best[x], row) }
}

// Support is what f allows.
func (c *Floors) Support(f mechanism.Floor) *mechanism.Support {
	if f.ByValue {
		return mechanism.SupportOf(c.order, f)
	}
	s := mechanism.NewSupport(len(c.ladder.best), c.ladder.outputs)
	for x, b := range c.ladder.best {
		for _, y := range b[:min(len(b), c.ladder.outputs-max(1, f.Rank)+1)] {
			s.Allow(x, int(y))
		}
	}
	return s
}

// SafeWithin is the best place at which the utility-safe mechanism is within
// e, -1 where there is none.
func (c *Floors) SafeWithin(e mechanism.Epsilon) int {
	switch {
	case c.levels != nil:
		return c.levels.within(e)
	case c.values != nil:
		return c.values.safe(e)
	}
	for i := range c.Len() {
		if e.Admits(c.points[len(c.points)-1-i].Factor) {
			return i
		}
	}
	return -1
}

// SafeCost is the least factor of the utility-safe mechanism at f or better.
func (c *Floors) SafeCost(f mechanism.Floor) *big.Rat {
	switch {
	case c.levels != nil:
		if i := c.Place(f); i < c.Len() {
			return c.levels.cost[i] // it falls along the floors
		}
		return nil
	case c.values == nil:
		return c.points[max(1, f.Rank)-1].Cost
	}
	_, factor := c.values.cheapest(min(c.Place(f)+1, len(c.values.tau)))
	return factor
}
