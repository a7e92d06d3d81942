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
	stop   *stopper
	levels *levels // of a large tree; else nil, and then there is what follows

	// The outputs of every input letter from best to worst, forbidden ones left out, in 16 bits
	// each. B_x of any floor is a prefix, so that all floors of an order of 10,000 letters fit in
	// 200 MB. Floors are walked by steps, which are places: at step 0, the best floor at which every
	// letter has an output, and at each of the next prefixes grow.
	best    [][]uint16
	outputs int
	reach   int        // the most outputs of a letter that are looked at; fewer than all where they are too many
	worst   []float64  // by step, the worst value that is allowed
	mean    []float64  // by step, sum_x P_x times the mean value of the prefix: of rank floors, 0 unless asked for
	growth  []growth   // by step; nil for rank floors, at which every letter has one output more
	sampled bool       // not every distinct utility is a floor
	place   [][]uint16 // of each output in best, else M; nil for rank floors and beyond placedCells
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
	d := &Floors{prior: p, also: also, order: o, stop: stop}
	lowest, worst := math.Inf(-1), 1 // by value and by rank
	if given != nil {
		byValue = given.ByValue
		lowest, worst = given.Value, given.Rank
	}
	if t := treeOf(o, byValue); t != nil {
		var err error
		d.levels, d.floor, err = newLevels(t, lowest, stop, append([]mechanism.Prior{p}, also...)...)
		return d, err
	}
	if err := d.climb(means); err != nil {
		return nil, err
	}
	if byValue {
		return d, d.values(lowest)
	}
	least := o.Outputs() - d.reach + 1
	if given != nil && worst < least {
		return nil, &WideError{Floor: *given, Least: mechanism.RankFloor(least)}
	}
	if worst > o.Outputs() {
		return nil, &mechanism.NoOutputError{Letter: 0, Floor: *given}
	}
	d.ranks(worst)
	return d, stop.err()
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
func (d *Floors) Err() error { return d.stop.err() }

// Len counts the floors.
func (d *Floors) Len() int { return len(d.floor) }

// ByValue reports whether the floors are values.
func (d *Floors) ByValue() bool { return len(d.floor) > 0 && d.floor[0].ByValue }

// Sampled reports whether not every distinct utility is among the floors.
func (d *Floors) Sampled() bool { return d.sampled }

// At is the floor at a place.
func (d *Floors) At(place int) mechanism.Floor { return d.floor[place] }

// Place is the inverse of At; for one that is no candidate, the place of the next one
// below it.
func (d *Floors) Place(f mechanism.Floor) int {
	place, _ := slices.BinarySearchFunc(d.floor, f, func(g, f mechanism.Floor) int {
		if f.ByValue {
			return cmp.Compare(f.Value, g.Value)
		}
		return cmp.Compare(f.Rank, g.Rank)
	})
	return place
}

// Weights are the values of the order, those of outputs alone that some floor allows.
func (d *Floors) Weights() mechanism.Weights {
	if d.reach == d.outputs {
		return mechanism.ValueWeights(d.order)
	}
	return func(x int, row []float64) { mechanism.ValuesAt(d.order, x, d.best[x], row) }
}

// Support is what f allows.
func (d *Floors) Support(f mechanism.Floor) *mechanism.Support {
	if f.ByValue {
		return mechanism.SupportOf(d.order, f)
	}
	s := mechanism.NewSupport(len(d.best), d.outputs)
	for x, b := range d.best {
		for _, y := range b[:min(len(b), d.outputs-max(1, f.Rank)+1)] {
			s.Allow(x, int(y))
		}
	}
	return s
}

// SafeWithin is the best place at which the utility-safe mechanism is within
// e, -1 where there is none.
func (d *Floors) SafeWithin(e mechanism.Epsilon) int {
	if d.levels != nil {
		return d.levels.within(e)
	}
	return d.safe(e)
}

// SafeCost is the least factor of the utility-safe mechanism at f or better.
func (d *Floors) SafeCost(f mechanism.Floor) *big.Rat {
	end := min(d.Place(f)+1, d.Len())
	if d.levels == nil {
		return d.cheapest(end)
	}
	if d.Place(f) < d.Len() {
		return d.levels.cost[end-1] // it falls along the floors
	}
	return nil
}
