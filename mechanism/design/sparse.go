package design

import (
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// ErrManyPriors says that a sparse design was asked for where epsilon is to hold under
// several priors, or where shares are limited.
var ErrManyPriors = errors.New("mechanism: a sparse design holds epsilon under one prior, and no limit of the shift")

// sparseCells is the most allowed cells at which this design is tried.
const sparseCells = frontier.ListedCells

// levelFloors is the most floors by value that are as few as levels.
const levelFloors = 256

// sparseDesign is what a solver for many letters and few allowed outputs each finds: less
// than the optimum, by an amount that is proven, where the optimum is out of reach.
type sparseDesign struct{}

func (sparseDesign) kind() string { return "sparse" }
func (sparseDesign) words() string {
	return "a mechanism near the best at this floor and epsilon, with a proof of how near; for many values with few " +
		"outputs each"
}
func (sparseDesign) settles() bool { return false }

func (sparseDesign) fits(t *task) bool {
	return t.Tree() == nil && !t.goal.counted() && len(t.goal.Also) == 0 &&
		!optimum.Fits(t.order.Inputs(), t.order.Outputs()) &&
		!(t.goal.Floor == nil && t.ByValue() && t.Len() <= levelFloors) // where blocks are levels
}

// make looks for the best floor by bisection from that of the rival up: a worse floor
// allows all that a better one does.
func (d sparseDesign) make(ctx context.Context, t *task, rival *offer) (*offer, error) {
	if t.goal.counted() || len(t.goal.Also) > 0 {
		return nil, ErrManyPriors
	}
	if t.goal.Floor != nil {
		return d.at(ctx, t, *t.goal.Floor, nil)
	}
	end := t.Len()
	if rival != nil {
		end = t.Place(rival.floor)
	}
	near := optimum.LeastOptions{Decide: t.goal.Epsilon.Factor(), Sparse: true}
	search, cancel := first(ctx, searchShare)
	defer cancel()
	lo, hi := 0, end
	var found *mechanism.Mechanism
	for lo < hi && search.Err() == nil {
		mid := (lo + hi) / 2
		s := t.Support(t.At(mid))
		if s.Cells() > sparseCells {
			hi = mid
			continue
		}
		m, c, err := optimum.Least(search, t.prior, s, near)
		if err != nil {
			return nil, err
		}
		near.Weight = c.Weight
		if t.goal.Epsilon.Admits(c.Upper) {
			hi, found, near.Near = mid, m, m
		} else {
			lo = mid + 1
		}
	}
	if found == nil && hi == end && rival == nil {
		return nil, errNothingFits
	}
	if found == nil {
		return d.at(ctx, t, rival.floor, nil)
	}
	o, err := d.at(ctx, t, t.At(hi), found)
	if err == nil {
		o.cut = search.Err() != nil
	}
	return o, err
}

// at is the design at a floor, where near may be known to be within epsilon.
func (sparseDesign) at(ctx context.Context, t *task, f mechanism.Floor, near *mechanism.Mechanism) (*offer, error) {
	s := t.Support(f)
	if s.Cells() > sparseCells {
		return nil, errNothingFits
	}
	limit := t.goal.Epsilon.Factor()
	half, cancel := first(ctx, .5)
	defer cancel()
	near, c, err := optimum.Least(half, t.prior, s, optimum.LeastOptions{Near: near, Decide: limit, Sparse: true})
	if err != nil {
		return nil, err
	}
	t.solved[f] = bracket{near, c, false}
	if !t.goal.Epsilon.Admits(c.Upper) {
		return nil, errNothingFits
	}
	o := t.offer(near, f)
	most, cancel := first(ctx, searchShare)
	defer cancel()
	m, w, err := optimum.Largest(most, optimum.Problem{Prior: t.prior, Support: s}, limit, nil, t.weights(),
		optimum.Options{Near: near, Least: c.Lower, Sparse: true})
	var none *optimum.FactorError
	switch {
	case err == nil:
		o = t.offer(m, f)
		o.worth = &w
	case !errors.As(err, &none):
		return nil, err
	}
	// What is left of the time goes to the bracket of the least factor.
	if _, c, err = optimum.Least(ctx, t.prior, s,
		optimum.LeastOptions{Near: near, Weight: c.Weight, Sparse: true}); err != nil {
		return nil, err
	}
	o.certificate = &c
	return o, nil
}

func (d sparseDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	if t.goal.counted() || len(t.goal.Also) > 0 {
		return nil, ErrManyPriors
	}
	s := t.Support(f)
	if s.Cells() > sparseCells {
		return nil, nil
	}
	near := t.solved[f]
	_, c, err := optimum.Least(ctx, t.prior, s, optimum.LeastOptions{Near: near.mechanism, Weight: near.Weight,
		Sparse: true})
	if err != nil {
		return nil, err
	}
	return c.Upper, nil
}
