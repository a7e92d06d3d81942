package design

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// measure completes what is known of an offer by itself.
func (t *task) measure(e *offer) {
	if t.goal.Weights != nil {
		e.ExpectedUtility = e.mechanism.ExpectedUtility(t.prior, t.order)
	}
	for _, p := range t.goal.Also {
		e.Also = append(e.Also, e.mechanism.Leakage(p))
	}
	e.WorstRank, e.WorstValue = e.mechanism.Floor(t.order)
}

// evidence completes what is known of the chosen offer.
func (t *task) evidence(ctx context.Context, e *offer, chosen []design) (err error) {
	t.measure(e)
	e.Sampled = t.Sampled()
	s := t.Support(e.Floor)
	if e.Lower, err = optimum.LowerBound(t.prior, s, t.goal.Also...); err != nil {
		return err
	}
	rest := chosen
	if c := e.Certificate; c != nil {
		// The search for the least factor at this floor is behind it.
		rest = slices.DeleteFunc(slices.Clone(chosen), func(o design) bool { return o.kind() == e.Kind })
		if c.Lower.Cmp(e.Lower) > 0 {
			e.Lower = c.Lower
		}
		if c.Upper.Cmp(e.Upper) < 0 {
			e.Upper = c.Upper
		}
	}
	if open(e.Lower, e.Upper, e.Certificate != nil) {
		f, err := t.leastOf(ctx, rest, e.Floor)
		if f != nil && f.Cmp(e.Upper) < 0 {
			e.Upper = f
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	e.UtilityUpperBound = math.Inf(1)
	if w := e.Worth; w != nil {
		if t.goal.Weights == nil {
			e.UtilityUpperBound = mechanism.FloatUp(w.Upper)
		}
		e.UtilityGap = w.Gap
	}
	if math.IsInf(e.UtilityUpperBound, 1) || e.UtilityGap > 1e-6 {
		e.UtilityUpperBound = min(e.UtilityUpperBound,
			optimum.UtilityBound(t.prior, t.order, s, t.goal.Epsilon.Factor()))
	}
	t.shiftEvidence(e)
	e.UtilityUpperBound = max(e.UtilityUpperBound, e.ExpectedUtility) // roundings
	if i := t.Place(e.Floor); t.goal.Floor == nil && i > 0 && t.goal.MaxShift == nil {
		next := t.At(i - 1)
		if f, err := t.leastOf(ctx, chosen, next); err != nil && ctx.Err() == nil {
			return err
		} else if f != nil {
			e.Next = &Threshold{next, f}
		}
	}
	return nil
}

// open reports whether a bracket is open; one that a solver has searched, by
// more than it was asked for.
func open(lower, upper *big.Rat, searched bool) bool {
	if searched {
		lower = new(big.Rat).Mul(lower, big.NewRat(1_000_000_001, 1_000_000_000))
	}
	return upper.Cmp(lower) > 0
}

func (t *task) leastOf(ctx context.Context, chosen []design, f mechanism.Floor) (*big.Rat, error) {
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
		if g != nil && t.settles(d) && ctx.Err() == nil {
			break
		}
	}
	return least, nil
}

// unreachable finds what could be had instead.
func (t *task) unreachable(ctx context.Context, chosen []design) error {
	if t.goal.MaxShift != nil {
		return t.within(ctx, chosen)
	}
	e := &UnreachableError{Epsilon: t.goal.Epsilon, AtFloor: t.At(t.Len() - 1)}
	if t.goal.Floor != nil {
		e.AtFloor = *t.goal.Floor
	}
	half, cancel := first(ctx, .5)
	defer cancel()
	var err error
	if e.Least, err = t.leastOf(half, chosen, e.AtFloor); err != nil && half.Err() == nil {
		return err
	}
	if t.goal.Floor != nil {
		free := t.goal
		free.Floor = nil
		free.ByValue = t.goal.Floor.ByValue
		if _, ev, err := Make(ctx, t.prior, t.order, free); err == nil {
			e.Best = &ev.Floor
		}
	}
	return e
}
