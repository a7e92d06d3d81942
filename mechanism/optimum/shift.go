package optimum

import (
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// LeastShift returns a mechanism of least shift among those of the support whose
// factor is at most t, compared exactly, with a bracket of that shift. It fails
// with *NoOutputError, and with *FactorError where t is below the least
// factor of the support or no mechanism was found.
func LeastShift(ctx context.Context, g Problem, t *big.Rat, opt Options) (*mechanism.Mechanism, Bracket, error) {
	s, err := newSearch(g, t, nil, nil)
	if err != nil {
		return nil, Bracket{}, err
	}
	s.decide = opt.Decide
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
	if least, err := LowerBound(s.Prior, s.Support); err != nil {
		return nil, Bracket{}, err
	} else if least.Cmp(s.t) > 0 {
		return nil, Bracket{}, &FactorError{Factor: s.t, Lower: least, Upper: least}
	}
	s.offer(s.even())
	s.prove(make([]float64, len(s.Letter)))
	if !s.closed() && s.Affords(opt.Bytes) {
		s.solve(ctx)
	}
	if s.best != nil && !s.closed() && rounded(s.Upper) <= Gap {
		s.offer(s.invariant(s.t, nil))
	}
	if s.best == nil {
		m, c, err := Least(ctx, s.Prior, s.Support, Options{Bytes: opt.Bytes, Decide: s.t})
		if err != nil {
			return nil, Bracket{}, err
		}
		if s.offer(m); s.best == nil {
			return nil, Bracket{}, &FactorError{Factor: s.t, Lower: c.Lower, Upper: c.Upper}
		}
	}
	return s.best, s.Bracket, nil
}

// LeastFactor returns about the least factor of the mechanisms of the support within a
// limit of the shift, by bisection to a relative tenth of Gap, or as far as the
// context leaves time. It fails with *NoOutputError, with *LimitError where none was found
// within the limit at any factor, and with the context's error.
func LeastFactor(ctx context.Context, g Problem, limit *big.Rat, opt Options) (*big.Rat, error) {
	m, c, err := Least(ctx, g.Prior, g.Support, Options{Bytes: opt.Bytes})
	if err != nil || m.Shares(g.Prior, g.Stands).Shift.Cmp(limit) <= 0 {
		return c.Upper, err
	}
	opt.Decide = limit
	at := one // beyond n over the least count a factor limits nothing
	if _, least := g.Prior.Least(); g.Prior.Total() > 0 {
		at = big.NewRat(g.Prior.Total(), least)
	}
	low, high := c.Lower, (*big.Rat)(nil)
	for {
		_, b, err := LeastShift(ctx, g, at, opt)
		var none *FactorError
		within := err == nil && b.Shift.Cmp(limit) <= 0
		switch {
		case err != nil && (high == nil || !errors.As(err, &none)):
			return nil, err
		case within:
			high = b.Factor
		case high != nil:
			low = at
		case ctx.Err() != nil:
			return nil, ctx.Err()
		default:
			return nil, &LimitError{Limit: limit, Lower: b.Lower}
		}
		a, z := rounded(low), rounded(high)
		if at = new(big.Rat).SetFloat64(math.Sqrt(a * z)); at == nil || !(z > a*(1+Gap/10)) || ctx.Err() != nil {
			return high, nil
		}
	}
}
