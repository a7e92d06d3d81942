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
	return s.run(ctx, opt)
}

// Decide is LeastShift as far as it takes to know whether a mechanism is within the limit:
// it is nil where none was found that is. A Lower above the limit refuses.
func Decide(ctx context.Context, g Problem, t, limit *big.Rat, opt Options) (*mechanism.Mechanism, Bracket, error) {
	s, err := newSearch(g, t, nil, nil)
	if err != nil {
		return nil, Bracket{}, err
	}
	s.decide = limit
	m, b, err := s.run(ctx, opt)
	if err == nil && b.Shift.Cmp(limit) > 0 {
		m = nil
	}
	return m, b, err
}

func (s *search) run(ctx context.Context, opt Options) (*mechanism.Mechanism, Bracket, error) {
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
		s.offer(s.invariant(s.t, DraftOf(s.Pattern, s.best)))
	}
	if s.best == nil {
		m, c, err := Least(ctx, s.Prior, s.Support, LeastOptions{Bytes: opt.Bytes, Decide: s.t})
		if err != nil {
			return nil, Bracket{}, err
		}
		if s.offer(m); s.best == nil {
			return nil, Bracket{}, &FactorError{Factor: s.t, Lower: c.Lower, Upper: c.Upper}
		}
	}
	return s.best, s.Bracket, nil
}

// LeastFactor returns a mechanism of about least factor among those of the support within a
// limit of the shift, nil for none, by bisection to a relative tenth of Gap, or as far as the
// context leaves time. It fails with *NoOutputError, with *LimitError where none was found
// within the limit at any factor, and with the context's error.
func LeastFactor(ctx context.Context, g Problem, limit *big.Rat, opt Options) (*mechanism.Mechanism, *big.Rat, error) {
	m, c, err := Least(ctx, g.Prior, g.Support, LeastOptions{Bytes: opt.Bytes})
	if err != nil {
		return nil, nil, err
	}
	if limit == nil || m.Shares(g.Prior, g.Stands).Shift.Cmp(limit) <= 0 {
		return m, c.Upper, nil
	}
	high := one // beyond n over the least count a factor limits nothing
	if _, least := g.Prior.Least(); g.Prior.Total() > 0 {
		high = big.NewRat(g.Prior.Total(), least)
	}
	if high.Cmp(c.Upper) < 0 {
		high = c.Upper
	}
	best, b, err := Decide(ctx, g, high, limit, opt)
	switch {
	case err != nil:
		return nil, nil, err
	case best == nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case best == nil:
		return nil, nil, &LimitError{Limit: limit, Lower: b.Lower}
	}
	low := c.Lower
	high = b.Factor
	for step := 0; ctx.Err() == nil; step++ {
		a, z := rounded(low), rounded(high)
		at := new(big.Rat).SetFloat64(math.Sqrt(a * z))
		if last := !(z > a*(1+Gap/10)) || step > 60; last || at == nil {
			if at = Simplest(low, high); at.Cmp(low) <= 0 || at.Cmp(high) >= 0 {
				break
			}
			step = 60
		}
		m, b, err := Decide(ctx, g, at, limit, opt)
		var none *FactorError
		switch {
		case err != nil && !errors.As(err, &none):
			return nil, nil, err
		case m == nil:
			low = at
		default:
			best, high = m, b.Factor
		}
		if step >= 60 {
			break
		}
	}
	return best, high, nil
}
