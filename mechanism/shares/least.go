package shares

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Gap is how far a shift, or a weight in shares of its range, may be from what is
// proven for a search to be content.
const Gap = 1e-6

// tight is the gap below which no better rounding is looked for.
const tight = 1e-9

// A Bracket says where the least shift of a support within a factor lies.
type Bracket struct {
	Lower  *big.Rat // no mechanism within the factor has less
	Shift  *big.Rat // of the mechanism that came with it
	Factor *big.Rat // its e^eps
	Proof  *Proof   // of Lower; nil where that is 0
}

// Verify recomputes Lower in exact arithmetic and fails where the proof gives
// less.
func (b Bracket) Verify(g Problem, t *big.Rat) error {
	proven := new(big.Rat)
	if b.Proof != nil {
		var err error
		if proven, err = b.Proof.Shift(g, t); err != nil {
			return err
		}
	}
	return atLeast(proven, b.Lower)
}

// Least returns a mechanism of least shift among those of the support whose
// factor is at most t, compared exactly, with a bracket of that shift. It fails
// with *NoOutputError, and with *optimum.FactorError where t is below the least
// factor of the support or no mechanism was found.
func Least(ctx context.Context, g Problem, t *big.Rat, opt Options) (*mechanism.Mechanism, Bracket, error) {
	s, err := newShiftSearch(g, t)
	if err != nil {
		return nil, Bracket{}, err
	}
	return s.run(ctx, opt, nil)
}

// A shiftSearch holds the mechanism of least shift so far.
type shiftSearch struct {
	*task
	t      *big.Rat
	decide *big.Rat // a limit that is to be decided on; nil for none
	best   *mechanism.Mechanism
	price  []float64 // of the proof
	Bracket
}

func newShiftSearch(g Problem, t *big.Rat) (*shiftSearch, error) {
	k, err := newTask(g, nil)
	if err != nil {
		return nil, err
	}
	return &shiftSearch{task: k, t: t, Bracket: Bracket{Lower: new(big.Rat)}}, nil
}

func (s *shiftSearch) run(ctx context.Context, opt Options, decide *big.Rat) (*mechanism.Mechanism, Bracket, error) {
	s.decide = decide
	if s.Prior.Total() == 0 {
		m, err := mechanism.Uniform(s.Support, mechanism.Floor{})
		if err != nil {
			return nil, Bracket{}, err
		}
		s.offer(m)
		return s.best, s.Bracket, nil
	}
	s.offer(opt.Near)
	// A letter leaks through its best output alone.
	if least, err := optimum.LowerBound(s.Prior, s.Support); err != nil {
		return nil, Bracket{}, err
	} else if least.Cmp(s.t) > 0 {
		return nil, Bracket{}, &optimum.FactorError{Factor: s.t, Lower: least, Upper: least}
	}
	s.offer(s.even())
	s.prove(make([]float64, len(s.Letter)))
	if decide != nil && decide.Sign() == 0 && !s.closed() {
		s.offer(s.invariant(s.t, optimum.Draft{Pattern: s.Pattern, Cell: make([][]float64, len(s.Column))}))
	}
	if !s.closed() && s.Affords(opt.Bytes) {
		s.solve(ctx, s.t, nil, s)
	}
	if s.best != nil && !s.closed() && rounded(s.Shift) <= Gap {
		s.offer(s.invariant(s.t, *optimum.DraftOf(s.Pattern, s.best)))
	}
	if s.best == nil {
		m, c, err := optimum.Least(ctx, s.Prior, s.Support, optimum.LeastOptions{Bytes: opt.Bytes, Decide: s.t})
		if err != nil {
			return nil, Bracket{}, err
		}
		if s.offer(m); s.best == nil {
			return nil, Bracket{}, &optimum.FactorError{Factor: s.t, Lower: c.Lower, Upper: c.Upper}
		}
	}
	return s.best, s.Bracket, nil
}

// offer takes m where its exact factor is within t and its shift the least so
// far. It returns what is left open, 0 once the limit is decided on.
func (s *shiftSearch) offer(m *mechanism.Mechanism) float64 {
	if f := s.FactorOf(m); f != nil && f.Cmp(s.t) <= 0 {
		s.inner = m
		if d := m.Shares(s.Prior, s.stands).Shift; s.best == nil || d.Cmp(s.Shift) < 0 {
			s.best, s.Shift, s.Factor = m, d, f
		}
	}
	switch {
	case s.closed():
		return 0
	case s.best == nil:
		return math.Inf(1)
	}
	return rounded(new(big.Rat).Sub(s.Shift, s.Lower))
}

// prove raises the lower bound to what prices prove.
func (s *shiftSearch) prove(price []float64) {
	if f, v := s.provenShift(price, s.t); f != nil && v.Cmp(s.Lower) > 0 {
		s.Lower, s.Proof, s.price = v, f, price
	}
}

func (s *shiftSearch) closed() bool {
	if s.decide != nil && s.Lower.Cmp(s.decide) > 0 {
		return true
	}
	if s.best == nil {
		return false
	}
	if s.decide != nil && s.Shift.Cmp(s.decide) <= 0 {
		return true
	}
	return s.Shift.Cmp(s.Lower) == 0
}
