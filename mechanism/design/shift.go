package design

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Shares are what is known of the shift of a designed mechanism, where the goal
// says something of it.
type Shares struct {
	Shift *big.Rat // of the mechanism, exactly

	// Least brackets the least shift at Floor within Epsilon, where the goal is to
	// come Nearest and the design is "optimal"; nil otherwise.
	Least *optimum.Bracket
	// Worth brackets the largest expected weight at Floor within Epsilon and the
	// shift Within, where the design is "optimal"; nil otherwise.
	Worth  *optimum.Bracket
	Within *big.Rat

	// Refused is the worst floor at which no mechanism is within Epsilon and the
	// limit, nil where none is known, or none is better. Open floors between it and
	// Floor are undecided.
	Refused *Refusal
	Open    int
}

// A Refusal is a floor at which the least shift within a factor is above a limit.
type Refusal struct {
	Floor   mechanism.Floor
	Bracket optimum.Bracket
}

// A ShiftError says that no mechanism of the kinds asked for keeps epsilon and
// the limit of the shift at a floor, and what would be kept.
type ShiftError struct {
	Epsilon mechanism.Epsilon
	Limit   *big.Rat
	AtFloor mechanism.Floor
	Least   *big.Rat         // the least shift found within Epsilon at AtFloor; nil where none was
	Factor  *big.Rat         // the least factor found within Limit at AtFloor; nil where none was
	Best    *mechanism.Floor // the best floor within both; nil where none was found
	Free    *mechanism.Floor // the best floor within Epsilon alone; nil where there is none
	Keep    bool             // all values were to be kept, too
	Large   bool             // the letters are too many for the optimum to be looked for
}

func (e *ShiftError) Error() string {
	return fmt.Sprintf("mechanism: no mechanism was found within epsilon %v and shift %s at %v", e.Epsilon,
		e.Limit.RatString(), e.AtFloor)
}

// counted reports whether the goal says something of the shift.
func (g *Goal) counted() bool { return g.MaxShift != nil || g.Nearest }

// check fails on goals that cannot be followed together.
func (g *Goal) check(inputs, outputs int) error {
	if !g.counted() {
		return nil
	}
	if len(g.Also) > 0 {
		return errors.New("mechanism: nothing is proven of a shift under several priors")
	}
	_, err := mechanism.StandsFor(inputs, outputs, g.Stands)
	return err
}

// problem is what shares are looked for in at floor f.
func (t *task) problem(f mechanism.Floor) optimum.Problem {
	return optimum.Problem{Prior: t.prior, Also: t.goal.Also, Support: t.Support(f), Stands: t.goal.Stands}
}

// keeps reports whether m is within the goal's limit of the shift, and keeps values where
// these are to be kept.
func (t *task) keeps(m *mechanism.Mechanism) bool {
	if t.goal.Keep && !m.KeepsHalf(t.prior, t.stands()) {
		return false
	}
	return t.goal.MaxShift == nil || m.Shares(t.prior, t.goal.Stands).Shift.Cmp(t.goal.MaxShift) <= 0
}

// counting is the optimum at floor f within what the goal says of the shift; near
// may do.
func (t *task) counting(ctx context.Context, f mechanism.Floor, near *mechanism.Mechanism) (o *offer, err error) {
	g, factor, limit := t.problem(f), t.goal.Epsilon.Factor(), t.goal.MaxShift
	s := &Shares{}
	var m *mechanism.Mechanism
	var w optimum.Bracket
	if t.goal.Nearest {
		var least optimum.Bracket
		m, least, w, err = optimum.Nearest(ctx, g, factor, limit, t.weights(), optimum.Options{Near: near})
		s.Least = &least
		if err == nil {
			s.Within = optimum.Spare(least.Shift, limit)
		}
	} else {
		m, w, err = optimum.Largest(ctx, g, factor, limit, t.weights(), optimum.Options{Near: near})
		s.Within = limit
	}
	var far *optimum.FactorError
	var off *optimum.LimitError
	switch {
	case errors.As(err, &far), errors.As(err, &off):
		return nil, errNothingFits
	case err != nil:
		return nil, err
	case !t.keeps(m):
		return nil, errNothingFits
	}
	s.Worth, s.Shift = &w, w.Shift
	o = t.offer(m, f)
	o.Shares = s
	return o, nil
}

// safeWithin is the utility-safe mechanism at the best floor tried that keeps
// epsilon and the limit of the shift. Neither is monotone in the floor, and there
// may be many floors: after the first few, the steps double.
func (t *task) safeWithin(ctx context.Context, from int) (*offer, error) {
	for i, step := from, 1; i < t.Len(); i += step {
		m, err := mechanism.Uniform(t.Support(t.At(i)), t.At(i))
		if err != nil {
			return nil, err
		}
		if o := t.offer(m, t.At(i)); t.goal.Epsilon.Admits(o.Factor) && t.keeps(m) {
			return o, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if t.goal.Floor != nil {
			break
		}
		if i-from >= 64 {
			step *= 2
		}
	}
	return nil, errNothingFits
}

// within finds what could be had instead of a limit that no kind keeps.
func (t *task) within(ctx context.Context, chosen []design) error {
	e := &ShiftError{Epsilon: t.goal.Epsilon, Limit: t.goal.MaxShift, AtFloor: t.At(t.Len() - 1), Keep: t.goal.Keep}
	free := t.goal
	if f := t.goal.Floor; f != nil {
		e.AtFloor = *f
		free.Floor, free.ByValue = nil, f.ByValue
		if _, ev, err := Make(ctx, t.prior, t.order, free); err == nil {
			e.Best = &ev.Floor
		}
	}
	free.MaxShift, free.Nearest, free.Keep = nil, false, false
	if _, ev, err := Make(ctx, t.prior, t.order, free); err == nil {
		e.Free = &ev.Floor
	}
	searched := false
	for _, d := range chosen {
		searched = searched || d.kind() == optimalDesign{}.kind() && (len(chosen) == 1 || d.fits(t))
	}
	if e.Large = !searched && len(chosen) > 1; !searched {
		return e
	}
	g, limit := t.problem(e.AtFloor), t.goal.MaxShift
	if e.Keep { // no shift keeps all values
		limit = new(big.Rat)
	} else if _, b, err := optimum.LeastShift(ctx, g, t.goal.Epsilon.Factor(), optimum.Options{}); err == nil {
		e.Least = b.Shift
	}
	if f, err := optimum.LeastFactor(ctx, g, limit, optimum.Options{}); err == nil {
		e.Factor = f
	}
	return e
}

// shiftEvidence completes what is known of the offer's shift.
func (t *task) shiftEvidence(e *offer) {
	if !t.goal.counted() {
		return
	}
	t.shift(e)
	if w := e.Shares.Worth; w != nil {
		e.UtilityGap = w.Gap
		if t.goal.Weights == nil {
			e.UtilityUpperBound = math.Min(e.UtilityUpperBound, mechanism.FloatUp(w.Upper))
		}
	}
}

// shift is that of an offer.
func (t *task) shift(o *offer) *big.Rat {
	if o.Shares == nil {
		o.Shares = &Shares{Shift: o.mechanism.Shares(t.prior, t.goal.Stands).Shift}
	}
	return o.Shares.Shift
}
