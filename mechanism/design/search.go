package design

import (
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A floorwise design knows how to design at one floor and is searched over.
type floorwise struct {
	name  string
	said  string // what it is, in words
	cells int    // the most N M that "auto" tries

	// within is the most useful mechanism found on s within epsilon; ErrNone
	// or errNothingFits where there is none.
	within func(ctx context.Context, t *task, s *mechanism.Support) (*mechanism.Mechanism, error)
	// smallest is the mechanism of least factor on s.
	smallest func(ctx context.Context, t *task, s *mechanism.Support) (*mechanism.Mechanism, error)
}

func (d floorwise) kind() string      { return d.name }
func (d floorwise) words() string     { return d.said }
func (d floorwise) settles() bool     { return false }
func (d floorwise) fits(t *task) bool { return t.cells() <= d.cells }

// make tries the floors from the best that LowerBound leaves possible. That
// bound only falls along the floors, so its first place is bisected; the
// designs themselves need not be monotone. All rank floors are tried one by
// one, and the first few value floors, of which there are too many; then the
// steps double until one fits, and the last gap is bisected.
func (d floorwise) make(ctx context.Context, t *task, rival *offer) (*offer, error) {
	if t.goal.Floor != nil {
		return d.at(ctx, t, *t.goal.Floor)
	}
	end := t.Len()
	if rival != nil {
		end = t.Place(rival.floor) + 1
	}
	lo, hi := 0, end
	for lo < hi {
		mid := (lo + hi) / 2
		b, err := optimum.LowerBound(t.prior, t.Support(t.At(mid)), t.goal.Also...)
		if err != nil {
			return nil, err
		}
		if t.goal.Epsilon.Admits(b) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	linear := end
	if t.ByValue() {
		linear = 16
	}
	failed := lo - 1
	for i, jump := lo, 1; i < end; {
		c, err := d.at(ctx, t, t.At(i))
		if err == nil {
			return d.between(ctx, t, failed, i, c)
		}
		if !errors.Is(err, errNothingFits) {
			return nil, err
		}
		failed = i
		if i-lo >= linear {
			jump *= 2
		}
		if i == end-1 {
			break
		}
		i = min(i+jump, end-1)
	}
	return nil, errNothingFits
}

func (d floorwise) between(ctx context.Context, t *task, failed, fits int, c *offer) (*offer, error) {
	for fits-failed > 1 {
		mid := (failed + fits) / 2
		m, err := d.at(ctx, t, t.At(mid))
		switch {
		case err == nil:
			fits, c = mid, m
		case errors.Is(err, errNothingFits):
			failed = mid
		default:
			return c, nil // out of time: what fits stands
		}
	}
	return c, nil
}

func (d floorwise) at(ctx context.Context, t *task, f mechanism.Floor) (*offer, error) {
	m, err := d.within(ctx, t, t.Support(f))
	if errors.Is(err, optimum.ErrNoFlat) {
		return nil, errNothingFits
	}
	if err != nil {
		return nil, err
	}
	c := t.offer(m, f)
	if !t.goal.Epsilon.Admits(c.factor) {
		return nil, errNothingFits
	}
	return c, nil
}

func (d floorwise) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	m, err := d.smallest(ctx, t, t.Support(f))
	if errors.Is(err, optimum.ErrNoFlat) || errors.Is(err, errNothingFits) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return t.offer(m, f).factor, nil
}
