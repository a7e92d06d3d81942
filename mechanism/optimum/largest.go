package optimum

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Largest returns a mechanism with the largest expected weight
// sum_x P_x sum_y p_xy w(x,y) among those of the support whose factor e^eps is at most t
// and whose shift is at most limit, nil for none, with a bracket of that weight. Both are
// compared exactly, whatever the float solver did. Under further priors, which go with no limit
// of the shift, the factor is at most t under each of them, and the weight is that under the
// first alone: what comes back is no optimum. Expected weight jumps at the factors
// 1/P(S_y), where output y becomes possible: t should be an exact rational.
//
// It fails with *NoOutputError, with *FactorError where no mechanism is within t, with
// *LimitError where none was found that is within limit, too, and on weights of allowed
// cells that are not finite.
func Largest(ctx context.Context, g Problem, t, limit *big.Rat, w mechanism.Weights,
	opt Options) (*mechanism.Mechanism, Bracket, error) {
	if limit == nil {
		g.Stands = nil
	}
	s, err := newSearch(g, t, limit, w)
	if err != nil {
		return nil, Bracket{}, err
	}
	s.edge = limit == nil && !exceeds(t, opt.Least, 1e-9)
	if s.offer(s.favourite(w)); s.best == nil {
		if err := s.large(ctx, opt); err != nil {
			return nil, Bracket{}, err
		}
	}
	if opt.Tighten && s.Affords(opt.Bytes) && exceeds(s.Factor, opt.Least, 1e-6) && s.Factor.Cmp(one) > 0 {
		s.tighten(ctx)
	}
	s.Gap = s.open()
	return s.best, s.Bracket, nil
}

// large looks for the best where not every letter can have its best output.
func (s *search) large(ctx context.Context, opt Options) error {
	lower := new(big.Rat) // of the shift
	if s.offer(opt.Near); s.limit != nil && s.best == nil {
		opt.Decide = s.limit
		m, b, err := LeastShift(ctx, s.problem(), s.t, opt)
		if err != nil {
			return err
		}
		s.offer(m)
		lower = b.Lower
	}
	if s.Prior.Total() > 0 && !s.closed() && (s.limit == nil || lower.Cmp(s.limit) <= 0) && s.Affords(opt.Bytes) {
		s.solve(ctx)
	}
	if len(s.Also) > 0 && !s.closed() {
		if err := s.strict(ctx, opt); err != nil {
			return err
		}
	}
	if plain, err := mechanism.Uniform(s.Support, mechanism.Floor{}); err == nil {
		s.offer(plain)
	}
	switch {
	case s.best != nil:
		return nil
	case s.limit != nil:
		return &LimitError{Limit: s.limit, Lower: lower}
	}
	least, c, err := Least(ctx, s.Prior, s.Support, Options{Bytes: opt.Bytes}, s.Also...)
	if s.offer(least); err == nil && s.best == nil {
		err = &FactorError{Factor: s.t, Lower: c.Lower, Upper: c.Upper}
	}
	return err
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
// and of the largest expected weight of those whose shift is within Spare, with brackets of
// both.
func Nearest(ctx context.Context, g Problem, t, most *big.Rat, w mechanism.Weights, opt Options) (*mechanism.Mechanism,
	Bracket, Bracket, error) {
	m, b, err := LeastShift(ctx, g, t, opt)
	if err != nil {
		return nil, Bracket{}, Bracket{}, err
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
		if better, u, err := Largest(ctx, g, t, limit, w, opt); err == nil && u.Lower.Cmp(v.Lower) > 0 {
			m, v = better, u
		}
	}
	return m, b, v, nil
}

// favourite gives every letter its best output: of the largest weight, the optimum where
// it is within the limits.
func (k *Pattern) favourite(w mechanism.Weights) *mechanism.Mechanism {
	row := make([]mechanism.Row, k.Prior.Letters())
	law, value := make([]float64, k.Support.Outputs()), make([]float64, k.Support.Outputs())
	for x := range row {
		output := k.Support.AppendRow(nil, x)
		w(x, value)
		best := output[0]
		for _, y := range output {
			if value[y] > value[best] {
				best = y
			}
		}
		row[x] = mechanism.UniformRow([]uint16{best})
		if k.Prior.Count(x) > 0 {
			law[best] = 1
		}
	}
	return k.finish(row, law)
}

// tighten looks for a smaller factor at the weight of the best mechanism, given up to
// slack. Where that weight is what every letter's best outputs give, these are a support of
// their own, and Least solves it. Otherwise the factor is bisected, unless prices say that
// all of it is needed.
func (s *search) tighten(ctx context.Context) {
	if s.Lower.Cmp(s.ceiling()) >= 0 {
		if m, _, err := Least(ctx, s.Prior, s.favourites(), Options{}, s.Also...); err == nil {
			s.prefer(m)
		}
		return
	}
	const near, work = 1e-4, 3e9
	cells := float64(len(s.Letter)) * float64(len(s.Letter)) * float64(len(s.Column))
	solves := int(min(max(work/cells, 3), 16)) // at 1,000 letters each takes about ten seconds
	slack := new(big.Rat).SetFloat64(1e-7 * s.span)
	want := slack.Sub(s.Lower, slack)
	low := rounded(bound(s.Pattern, scarce(s.Pattern)))
	for at := rounded(s.Factor) * (1 - near); ctx.Err() == nil && solves > 0 && at > low; {
		t := new(big.Rat).SetFloat64(at)
		if s.price != nil {
			v, err := s.proof(s.price, t, nil).Weight(s.problem(), t, nil, s.weights)
			if err == nil && v.Cmp(want) < 0 {
				return // prices refuse a little less
			}
		}
		solves--
		probe := &search{Pattern: s.Pattern, Bracket: Bracket{Upper: s.Upper}, t: t}
		if probe.solve(ctx); probe.best != nil && probe.Lower.Cmp(want) >= 0 && s.prefer(probe.best) {
			s.price = probe.price
		} else {
			low = at
		}
		if at = math.Sqrt(low * rounded(s.Factor)); !(rounded(s.Factor) > low*(1+near)) {
			return
		}
	}
}

// prefer takes m for its smaller factor.
func (s *search) prefer(m *mechanism.Mechanism) bool {
	f := s.FactorOf(m)
	if f.Cmp(s.Factor) >= 0 {
		return false
	}
	s.best, s.Lower, s.Factor = m, s.value(m), f
	return true
}

// favourites are the cells of greatest weight of every letter.
func (s *search) favourites() *mechanism.Support {
	top := mechanism.NewSupport(s.Support.Inputs(), s.Support.Outputs())
	value := make([]float64, s.Support.Outputs())
	var output []uint16
	for x := range s.Support.Inputs() {
		output = s.Support.AppendRow(output[:0], x)
		s.weights(x, value)
		most := math.Inf(-1)
		for _, y := range output {
			most = math.Max(most, value[y])
		}
		for _, y := range output {
			if value[y] == most {
				top.Allow(x, int(y))
			}
		}
	}
	return top
}
