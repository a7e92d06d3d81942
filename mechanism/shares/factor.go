package shares

import (
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Goal is what a mechanism of least factor must keep beside its support.
type Goal struct {
	Limit   *big.Rat          // the most shift; nil for any
	Weights mechanism.Weights // nil for none
	Least   *big.Rat          // the least expected weight, where there are Weights
}

// A FactorBracket says where the least factor of a support at a goal lies.
type FactorBracket struct {
	Lower, Upper *big.Rat // Upper is the factor of the mechanism that came with it
	// Proof shows that no mechanism within Lower has the shift, or where Weighs
	// the weight; where it is nil no mechanism of the support has less than Lower
	// at any shift and weight, as First proves.
	Proof  *Proof
	Weighs bool
	First  optimum.Certificate
	Shift  *big.Rat // of the mechanism
}

// Verify recomputes Lower in exact arithmetic and fails where the proof gives
// less.
func (b FactorBracket) Verify(g Problem, goal Goal) error {
	limit := goal.limit()
	switch {
	case b.Lower == nil:
		return errProof
	case b.Proof == nil:
		if err := b.First.Verify(g.Prior, g.Support); err != nil {
			return err
		}
		return atLeast(b.First.Lower, b.Lower)
	case b.Weighs:
		if goal.Weights == nil {
			return errProof
		}
		v, err := b.Proof.Weight(g, b.Lower, limit, goal.Weights)
		if err == nil && v.Cmp(goal.Least) >= 0 {
			err = errors.New("proof: the weight is not refused")
		}
		return err
	}
	v, err := b.Proof.Shift(g, b.Lower)
	if err == nil && v.Cmp(limit) <= 0 {
		err = errors.New("proof: the shift is not refused")
	}
	return err
}

// limit is the most shift; the shift is never above 1.
func (g Goal) limit() *big.Rat {
	if g.Limit == nil {
		return one
	}
	return g.Limit
}

// A WeightError says that no mechanism of the support within the shift has the
// weight, at any factor.
type WeightError struct {
	Least, Upper *big.Rat // what was asked for, and what is proven to be the most
}

func (e *WeightError) Error() string {
	return "mechanism: an expected weight of " + text(e.Least) + " is out of reach: the most is " + text(e.Upper)
}

// LeastFactor returns a mechanism of least factor among those of the support that
// keep the goal, with a bracket of that factor: to a relative Gap, or as far as
// floats or the context tell. It fails with *NoOutputError, with *LimitError or
// *WeightError where no mechanism was found that keeps the goal at any factor, and
// with the context's error where that ended before any was found.
func LeastFactor(ctx context.Context, g Problem, goal Goal, opt Options) (*mechanism.Mechanism, FactorBracket, error) {
	m, c, err := optimum.Least(ctx, g.Prior, g.Support, optimum.LeastOptions{Bytes: opt.Bytes})
	if err != nil {
		return nil, FactorBracket{}, err
	}
	k, err := newTask(g, goal.Weights)
	if err != nil {
		return nil, FactorBracket{}, err
	}
	s := &factorSearch{task: k, plain: *k, goal: goal, opt: opt,
		FactorBracket: FactorBracket{Lower: c.Lower, First: c}}
	s.plain.weights, s.plain.fill = nil, nil
	s.offer(m)
	s.offer(opt.Near)
	if err := s.run(ctx); err != nil {
		return nil, FactorBracket{}, err
	}
	return s.best, s.FactorBracket, nil
}

// A factorSearch holds the mechanism of least factor so far.
type factorSearch struct {
	*task
	plain task // the same without weights
	goal  Goal
	opt   Options
	best  *mechanism.Mechanism
	FactorBracket
}

// offer takes m where it keeps the goal and its factor is the least so far.
func (s *factorSearch) offer(m *mechanism.Mechanism) bool {
	f := s.FactorOf(m)
	if f == nil || s.best != nil && f.Cmp(s.Upper) >= 0 {
		return false
	}
	d := m.Shares(s.Prior, s.stands).Shift
	if d.Cmp(s.goal.limit()) > 0 {
		return false
	}
	if s.goal.Weights != nil && s.weights.Value(m).Cmp(s.goal.Least) < 0 {
		return false
	}
	s.best, s.Upper, s.Shift = m, f, d
	return true
}

func (s *factorSearch) closed() bool {
	return s.best != nil && rounded(s.Upper) <= rounded(s.Lower)*(1+Gap)
}

// run tries factors: just above what is proven to be too little, where prices
// tell, and in the middle of the bracket every third time, since an output that
// comes into reach makes prices tell less. Beyond n over the least count a factor
// limits nothing.
func (s *factorSearch) run(ctx context.Context) error {
	if s.Prior.Total() == 0 {
		return nil
	}
	_, least := s.Prior.Least()
	most := big.NewRat(s.Prior.Total(), least)
	next, soft := rounded(s.First.Upper), 0.0 // nothing was decided at soft
	for turn := 1; turn < 60 && !s.closed(); turn++ {
		low, high := rounded(s.Lower), rounded(most)
		if s.best != nil {
			high = rounded(s.Upper)
		}
		if turn%3 == 0 || !(next >= low && next > soft && next < high) {
			if next = math.Sqrt(max(low, soft) * high); s.best == nil {
				next = math.Min(high, 2*max(low, soft))
			}
		}
		at := new(big.Rat).SetFloat64(next)
		if at == nil || s.best != nil && !(next > soft*(1+Gap/4) && next < high) {
			break // floats tell no more
		}
		if s.best == nil && at.Cmp(most) >= 0 {
			at = most
		}
		if at.Cmp(s.Lower) < 0 {
			at = s.Lower
		}
		found, err := s.try(ctx, at)
		switch {
		case s.best == nil && ctx.Err() != nil:
			return ctx.Err()
		case s.best == nil && at == most:
			return err
		case ctx.Err() != nil:
			return nil
		}
		if next = rounded(s.Lower) * (1 + Gap/2); !found && s.Lower.Cmp(at) < 0 {
			soft = max(soft, rounded(at))
		}
	}
	if s.best == nil {
		_, err := s.try(ctx, most)
		return err
	}
	return nil
}

// try looks for a mechanism at factor t, or raises the lower bound. It fails where
// it refuses t.
func (s *factorSearch) try(ctx context.Context, t *big.Rat) (found bool, err error) {
	limit := s.goal.limit()
	s.inner, s.plain.inner = nil, nil // those of other factors
	d := &shiftSearch{task: &s.plain, t: t, Bracket: Bracket{Lower: new(big.Rat)}}
	m, b, err := d.run(ctx, s.opt, limit)
	if err != nil {
		return false, err
	}
	if b.Lower.Cmp(limit) > 0 {
		if b.Proof != nil {
			s.raise(t, b.Proof, d.price, false)
		}
		return false, &LimitError{Limit: limit, Lower: b.Lower}
	}
	if s.goal.Weights == nil || b.Shift.Cmp(limit) > 0 {
		if found = s.offer(m); !found {
			err = &LimitError{Limit: limit, Lower: b.Lower}
		}
		return found, err
	}
	found = s.offer(m)
	w := &weightSearch{task: s.task, t: t, limit: limit, decide: s.goal.Least, Worth: Worth{Upper: s.weights.Ceiling()}}
	w.offer(m)
	w.run(ctx, s.opt)
	if found = s.offer(w.best) || found; found {
		return true, nil
	}
	if w.Upper.Cmp(s.goal.Least) < 0 && w.Proof != nil {
		s.raise(t, w.Proof, w.price, true)
	}
	return false, &WeightError{Least: s.goal.Least, Upper: w.Upper}
}

// raise lifts the lower bound to the largest factor that the prices refuse, t at
// least, which proof does.
func (s *factorSearch) raise(t *big.Rat, proof *Proof, price []float64, weighs bool) {
	if t.Cmp(s.Lower) >= 0 {
		s.Lower, s.Proof, s.Weighs = t, proof, weighs
	}
	if price == nil {
		return
	}
	_, least := s.Prior.Least()
	high := float64(s.Prior.Total()) / float64(least)
	if s.best != nil {
		high = rounded(s.Upper)
	}
	k, limit, goal := &s.plain, -1.0, -rounded(s.goal.limit())
	if weighs {
		k, limit, goal = s.task, rounded(s.goal.limit()), rounded(s.goal.Least)
	}
	cross := k.tariff(price).crossing(limit, goal, rounded(t), high)
	for _, margin := range []float64{0, 1e-12, 1e-10, 1e-8} {
		at := new(big.Rat).SetFloat64(cross * (1 - margin))
		if at == nil || at.Cmp(s.Lower) <= 0 {
			return
		}
		b := FactorBracket{Lower: at, Weighs: weighs}
		if weighs {
			b.Proof = k.proof(price, at, s.goal.limit())
		} else {
			b.Proof, _ = k.provenShift(price, at)
		}
		if b.Proof != nil && b.Verify(s.problem(), s.goal) == nil {
			s.Lower, s.Proof, s.Weighs = at, b.Proof, weighs
			return
		}
	}
}
