package shares

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Worth brackets the largest expected weight of a support within a factor and
// a shift.
type Worth struct {
	Value *big.Rat // of the mechanism that came with it
	Upper *big.Rat // no mechanism within both has more
	Shift *big.Rat // of the mechanism
	Proof *Proof   // of Upper; nil where that is what every letter's best output gives
	Gap   float64  // Upper - Value in shares of the range of the weights
}

// Verify recomputes Upper in exact arithmetic and fails where the proof gives
// more.
func (v Worth) Verify(g Problem, t, limit *big.Rat, w mechanism.Weights) error {
	k, err := newTask(g, w)
	if err != nil {
		return err
	}
	proven := k.weights.Ceiling()
	if v.Proof != nil {
		if proven, err = v.Proof.Weight(g, t, limit, w); err != nil {
			return err
		}
	}
	if v.Upper == nil {
		return errProof
	}
	return atLeast(new(big.Rat).Neg(proven), new(big.Rat).Neg(v.Upper))
}

// Largest returns a mechanism of largest expected weight among those of the
// support whose factor is at most t and whose shift is at most limit, both
// compared exactly, with a bracket of that weight. It fails with *NoOutputError,
// with *optimum.FactorError where no mechanism is within t, with *LimitError where
// none was found that is within limit, too, and on weights of allowed cells that
// are not finite.
func Largest(ctx context.Context, g Problem, t, limit *big.Rat, w mechanism.Weights,
	opt Options) (*mechanism.Mechanism, Worth, error) {
	k, err := newTask(g, w)
	if err != nil {
		return nil, Worth{}, err
	}
	s := &weightSearch{task: k, t: t, limit: limit, Worth: Worth{Upper: k.weights.Ceiling()}}
	if s.offer(opt.Near); s.best != nil {
		s.run(ctx, opt)
	} else {
		m, b, err := decide(ctx, g, t, limit, opt)
		if err != nil {
			return nil, Worth{}, err
		}
		s.offer(m)
		if b.Lower.Cmp(limit) <= 0 {
			s.run(ctx, opt)
		}
		if s.best == nil {
			return nil, Worth{}, &LimitError{Limit: limit, Lower: b.Lower}
		}
	}
	s.Gap = s.open()
	return s.best, s.Worth, nil
}

// Spare is what Nearest lets a shift be whose least is given: Gap more, and no more than most,
// nil for no limit, where the least is within that.
func Spare(least, most *big.Rat) *big.Rat {
	limit := new(big.Rat).SetFloat64(Gap)
	if limit.Add(limit, least); most != nil && least.Cmp(most) <= 0 && limit.Cmp(most) > 0 {
		return most
	}
	return limit
}

// Nearest returns a mechanism of the least shift of a support within factor t,
// and of the largest expected weight of those whose shift is within Spare.
func Nearest(ctx context.Context, g Problem, t, most *big.Rat, w mechanism.Weights, opt Options) (*mechanism.Mechanism,
	Bracket, Worth, error) {
	m, b, err := Least(ctx, g, t, opt)
	if err != nil {
		return nil, Bracket{}, Worth{}, err
	}
	limit := Spare(b.Shift, most)
	opt.Near = m
	m, v, err := Largest(ctx, g, t, limit, w, opt)
	if err != nil || v.Gap <= Gap {
		return m, b, v, err
	}
	// So little to spare is hard on floats: with none, flows make what is exact.
	opt.Near = m
	if exact, _, err := Largest(ctx, g, t, b.Shift, w, opt); err == nil {
		opt.Near = exact
		if better, u, err := Largest(ctx, g, t, limit, w, opt); err == nil && u.Value.Cmp(v.Value) > 0 {
			m, v = better, u
		}
	}
	return m, b, v, nil
}

// A weightSearch holds the mechanism of largest weight so far.
type weightSearch struct {
	*task
	t, limit *big.Rat
	decide   *big.Rat // a weight that is to be decided on; nil for none
	best     *mechanism.Mechanism
	price    []float64 // of the proof
	Worth
}

func (s *weightSearch) run(ctx context.Context, opt Options) {
	if s.Prior.Total() > 0 && !s.closed() && s.Affords(opt.Bytes) {
		s.solve(ctx, s.t, s.limit, s)
	}
}

// offer takes m where its exact factor and shift are within their limits and its
// weight the largest so far. It returns what is left open, 0 once the weight is
// decided on.
func (s *weightSearch) offer(m *mechanism.Mechanism) float64 {
	f := s.FactorOf(m)
	if f == nil || f.Cmp(s.t) > 0 {
		return s.left()
	}
	d := m.Shares(s.Prior, s.stands).Shift
	if d.Cmp(s.limit) <= 0 {
		if s.inner == nil {
			s.inner = m
		}
		if v := s.weights.Value(m); s.best == nil || v.Cmp(s.Value) > 0 {
			s.best, s.Value, s.Shift = m, v, d
		}
	}
	return s.left()
}

// prove lowers the upper bound to what prices prove.
func (s *weightSearch) prove(price []float64) {
	f := s.proof(price, s.t, s.limit)
	if f == nil {
		return
	}
	if v, err := f.Weight(s.problem(), s.t, s.limit, s.weights.Weights); err == nil && v.Cmp(s.Upper) < 0 {
		s.Upper, s.Proof, s.price = v, f, price
	}
}

func (s *weightSearch) closed() bool {
	if d := s.decide; d != nil && (s.Upper.Cmp(d) < 0 || s.best != nil && s.Value.Cmp(d) >= 0) {
		return true
	}
	return s.open() <= tight
}

// left is what open says, and 0 once nothing is to be looked for.
func (s *weightSearch) left() float64 {
	if s.closed() {
		return 0
	}
	return s.open()
}

// open is what the bracket leaves, in shares of the range; what is below 1e-12 of
// the largest weight is rounding.
func (s *weightSearch) open() float64 {
	if s.best == nil {
		return math.Inf(1)
	}
	v := rounded(new(big.Rat).Sub(s.Upper, s.Value))
	if v <= 1e-12*s.top {
		return 0
	}
	return v / math.Max(s.weights.Span, math.SmallestNonzeroFloat64)
}
