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
		return d.at(ctx, t, *t.goal.Floor, optimum.LeastOptions{})
	}
	end := t.Len()
	if rival != nil {
		end = t.Place(rival.floor) + 1
	}
	if t.goal.MaxShift != nil {
		return t.bestCounted(ctx, end)
	}
	// Places below lo do not fit, or were not found to; end fits or is no floor.
	near := optimum.LeastOptions{Decide: t.goal.Epsilon.Factor()}
	lo, hi := 0, end
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
		m, c, err := t.bracket(within, t.At(mid), near)
		if err != nil {
			return nil, err
		}
		near.Near, near.Weight = m, c.Weight
		if t.goal.Epsilon.Admits(c.Upper) {
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
	cut = cut || search.Err() != nil
	near.Decide = nil
	o, err := d.at(ctx, t, t.At(lo), near)
	if err == nil {
		o.cut = cut
	}
	return o, err
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

func (optimalDesign) at(ctx context.Context, t *task, f mechanism.Floor, near optimum.LeastOptions) (*offer, error) {
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
		o.worth = &w
	case !errors.As(err, &none):
		return nil, err
	}
	o.certificate = &c
	return o, nil
}

func (optimalDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	_, c, err := t.bracket(ctx, f, optimum.LeastOptions{})
	if err != nil {
		return nil, err
	}
	return c.Upper, nil
}

// bracket is Least at floor f. It goes on from what an earlier search there
// has left, which may have been for a decision only.
func (t *task) bracket(ctx context.Context, f mechanism.Floor, opt optimum.LeastOptions) (*mechanism.Mechanism,
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
