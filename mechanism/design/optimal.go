package design

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// searchShare of the time may go to the search of the floor.
const searchShare = .6

// optimalDesign is the mechanism of largest expected utility within epsilon
// at the best floor that any mechanism can reach. A worse floor allows all
// that a better one does, so the least factor is monotone in the floor, and
// the floor is found by bisection.
type optimalDesign struct{}

func (optimalDesign) kind() string  { return "optimal" }
func (optimalDesign) settles() bool { return true }
func (optimalDesign) words() string { return "the best of all mechanisms at this floor and epsilon" }

func (optimalDesign) fits(t *task) bool {
	return optimum.Fits(t.order.Inputs(), t.order.Outputs())
}

func (d optimalDesign) make(ctx context.Context, t *task, rival *offer) (*offer, error) {
	if t.goal.Floor != nil {
		return d.at(ctx, t, *t.goal.Floor, optimum.Options{})
	}
	end := t.Len()
	if rival != nil {
		end = t.Place(rival.Floor) + 1
	}
	// Places below lo do not fit, or were not found to; end fits or is no floor.
	lo, hi := 0, end
	f := &finding{task: t, above: -1, near: optimum.Options{Decide: t.goal.Epsilon.Factor()}}
	search, cancel := first(ctx, searchShare)
	defer cancel()
	cut := false
	for lo < hi {
		within := search
		if hi == end {
			within = ctx
		}
		if cut = within.Err() != nil; cut {
			lo = hi // the best floor that is known to fit
			break
		}
		mid := (lo + hi) / 2
		fits, err := f.fits(within, mid)
		if err != nil {
			return nil, err
		}
		if fits {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo >= end {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, errNothingFits
	}
	f.near.Decide = nil
	o, err := d.at(ctx, t, t.At(lo), f.near)
	if err != nil {
		return nil, err
	}
	if o.cut = cut || search.Err() != nil; o.Shares != nil {
		o.Shares.Refused, o.Shares.Open = f.refused, max(0, lo-f.above-1)
	}
	return o, nil
}

// A finding is what a search of the best floor has found.
type finding struct {
	*task
	near    optimum.Options // what the last floors have left
	above   int             // the worst place that is known to fit nothing, -1 for none
	refused *Refusal        // there, for its shift
}

// fits reports whether a mechanism within epsilon, and the limit of the shift, is found
// at a place.
func (s *finding) fits(ctx context.Context, place int) (bool, error) {
	f, factor, limit := s.At(place), s.goal.Epsilon.Factor(), s.goal.MaxShift
	if limit == nil {
		m, c, err := s.bracket(ctx, f, s.near)
		if err != nil {
			return false, err
		}
		s.near.Near, s.near.Weight = m, c.Weight
		return s.goal.Epsilon.Admits(c.Upper), nil
	}
	m, b, err := optimum.LeastShift(ctx, s.problem(f), factor, optimum.Options{Decide: limit})
	var none *optimum.FactorError
	switch {
	case errors.As(err, &none):
		if none.Factor.Cmp(none.Lower) < 0 {
			s.above, s.refused = place, nil
		}
		return false, nil
	case err != nil:
		return false, err
	case b.Shift.Cmp(limit) <= 0:
		s.near.Near = m
		return true, nil
	case b.Lower.Cmp(limit) > 0:
		s.above, s.refused = place, &Refusal{f, b}
	}
	return false, nil
}

// first is the given share of the time that ctx has left.
func first(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	left := time.Until(end)
	return context.WithDeadline(ctx, end.Add(-time.Duration((1-share)*float64(left))))
}

func (optimalDesign) at(ctx context.Context, t *task, f mechanism.Floor, near optimum.Options) (*offer, error) {
	if t.goal.counted() {
		return t.counting(ctx, f, near.Near)
	}
	least, c, err := t.bracket(ctx, f, near)
	if err != nil {
		return nil, err
	}
	if !t.goal.Epsilon.Admits(c.Upper) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, errNothingFits
	}
	// The factor that is asked of Largest is e^eps rounded down; where even
	// the least lies above that, it is within epsilon by a hair and stands.
	o := t.offer(least, f)
	m, w, err := optimum.Largest(ctx, t.problem(f), t.goal.Epsilon.Factor(), nil, t.weights(),
		optimum.Options{Near: least, Least: c.Lower, Tighten: true})
	var none *optimum.FactorError
	switch {
	case err == nil:
		o = t.offer(m, f)
		o.Worth = &w
	case !errors.As(err, &none):
		return nil, err
	}
	o.Certificate = &c
	return o, nil
}

func (optimalDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	_, c, err := t.bracket(ctx, f, optimum.Options{})
	if err != nil {
		return nil, err
	}
	return c.Upper, nil
}

// bracket is Least at floor f. It goes on from what an earlier search there
// has left, which may have been for a decision only.
func (t *task) bracket(ctx context.Context, f mechanism.Floor, opt optimum.Options) (*mechanism.Mechanism,
	optimum.Certificate, error) {
	if b, ok := t.solved[f]; ok {
		if b.whole && len(t.goal.Also) > 0 {
			return b.mechanism, b.Certificate, nil // what is named as the least is found again
		}
		opt.Near, opt.Weight = b.mechanism, b.Weight
	}
	m, c, err := optimum.Least(ctx, t.prior, t.Support(f), opt, t.goal.Also...)
	if err == nil {
		t.solved[f] = bracket{m, c, opt.Decide == nil && ctx.Err() == nil}
	}
	return m, c, err
}
