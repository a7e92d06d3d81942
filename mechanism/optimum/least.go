package optimum

import (
	"cmp"
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// Least returns a mechanism with the least factor e^eps among all those with
// support s under p, and the certificate of how close it is. The mechanism's
// factor is exact (Certificate.Upper) and its rows are integers; the float
// solver only proposes. When ctx ends, or the solver fails, the bracket is
// wider and still proven: at worst the mechanism is uniform on every B_x. Under
// further priors what comes back is no optimum: Upper is its largest factor under any
// of them, and Lower is proven under p alone, which bounds what holds under more. It
// fails with *NoOutputError alone.
func Least(ctx context.Context, p mechanism.Prior, s *mechanism.Support, opt Options,
	also ...mechanism.Prior) (*mechanism.Mechanism, Certificate, error) {
	m, err := mechanism.Uniform(s, mechanism.Floor{})
	if err != nil {
		return nil, Certificate{}, err
	}
	if parts := s.Parts(); parts != nil && s.Inputs()*s.Outputs() > FitCells {
		// What is constant on the parts of a value floor reaches the bound of each part by itself.
		return m, Certificate{Weight: parts.Rarest(p), Lower: m.Factor(p), Upper: m.Factor(append(also, p)...)}, nil
	}
	l := &search{Pattern: NewPattern(p, s, also...), decide: opt.Decide}
	l.Lower, opt.Gap = big.NewRat(1, 1), cmp.Or(opt.Gap, 1e-9)
	l.offer(m)
	if p.Total() > 0 {
		l.least(ctx, opt)
	}
	if len(also) > 0 && !l.closed() && ctx.Err() == nil {
		mixed, _, err := Least(ctx, l.mixture(), s, Options{Gap: opt.Gap, Bytes: opt.Bytes})
		if err != nil {
			return nil, Certificate{}, err
		}
		l.offer(mixed)
	}
	return l.best, Certificate{Weight: l.weight, Lower: l.Lower, Upper: l.Upper}, nil
}

// claim takes weights when they prove more of the least factor than what is known.
func (s *search) claim(weight []int64) {
	if len(weight) != s.Prior.Letters() {
		return
	}
	if t := bound(s.Pattern, weight); t.Cmp(s.Lower) > 0 {
		s.weight, s.Lower = weight, t
	}
}

// least looks for the least factor.
func (s *search) least(ctx context.Context, opt Options) {
	s.offer(s.favourite(func(_ int, row []float64) { // an output that every letter may give is given by all
		for y, mass := range s.Mass {
			row[y] = float64(mass)
		}
	}))
	s.claim(scarce(s.Pattern))
	s.offer(opt.Near)
	if opt.Weight != nil && (Certificate{Weight: opt.Weight, Lower: one}).Verify(s.Prior, s.Support) == nil {
		s.claim(opt.Weight)
	}
	if s.closed() || opt.Near != nil && s.open() <= opt.Gap || !s.Affords(opt.Bytes) {
		return
	}
	b := s.program(big.NewRat(s.Prior.Total(), 1), 0)
	options := interior.Options{Gap: opt.Gap / 10, Y: s.start(b)}
	if opt.Decide != nil {
		options.Decide, _ = opt.Decide.Float64()
	}
	out := interior.Least(ctx, b.Problem, options)
	s.certify(out.Y, out.Lower, b)
	if out.P != nil {
		d := s.draft(b, out.P)
		s.round(d, opt.Gap/10)
		s.recover(d, out.Y, b, opt.Gap)
	}
}

// certify claims what the row duals y prove, until it is about lower.
func (s *search) certify(y []float64, lower float64, b *program) {
	for _, below := range []float64{-1, 1e-15, 1e-12, 1e-9} {
		if y == nil || rounded(s.Lower) >= lower*(1-1e-11) {
			return
		}
		s.claim(integral(s.Pattern, y, b.row, b.joint, below))
	}
}

// start sums the known weights by row of the program.
func (s *search) start(b *program) []float64 {
	if s.weight == nil {
		return nil
	}
	y := make([]float64, len(b.joint))
	for i, x := range s.Letter {
		y[b.row[i]] += float64(s.weight[x])
	}
	return y
}

// round offers integer tables of the draft, with fewer and fewer faint
// outputs, until one is within a gap.
func (s *search) round(d Draft, gap float64) {
	q := d.Law()
	for _, least := range append([]float64{-1}, Faint...) {
		e := d.Without(q, least)
		for _, total := range Totals {
			s.offer(e.Table(total))
			if !(s.open() > gap) {
				return
			}
		}
	}
}
