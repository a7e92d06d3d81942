package optimum

import (
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// An among looks for mechanisms that are within a factor under several priors at
// once: p_xy <= t min_k q^k_y. What is within t under all is within t under their
// mixture, and so the optimum under the mixture, at stricter factors until all priors
// admit it, is near the best; how near is not proven. All factors are exact.
type among struct {
	*Pattern
	all  []mechanism.Prior
	mean mechanism.Prior // about the even mixture of all
}

// strictSteps are the solves at stricter factors.
const strictSteps = 8

// LeastAmong is Least under p and further priors at once. What comes back is no
// optimum: Upper is its largest factor under any prior, and Lower is proven under p
// alone, which bounds what holds under more.
func LeastAmong(ctx context.Context, p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support,
	opt LeastOptions) (*mechanism.Mechanism, Certificate, error) {
	if s.Parts() != nil && s.Inputs()*s.Outputs() > FitCells {
		return leastOfParts(p, also, s)
	}
	m, c, err := Least(ctx, p, s, opt)
	if err != nil || len(also) == 0 {
		return m, c, err
	}
	a := newAmong(p, also, s)
	var best *mechanism.Mechanism
	offer := func(m *mechanism.Mechanism) {
		if !a.Fits(m) {
			return
		}
		if f := m.Factor(a.all...); best == nil || f.Cmp(c.Upper) < 0 {
			best, c.Upper = m, f
		}
	}
	decided := func() bool {
		d := opt.Decide
		return ctx.Err() != nil || d != nil && (c.Upper.Cmp(d) <= 0 || c.Lower.Cmp(d) > 0)
	}
	offer(m)
	if offer(opt.Near); decided() || c.Upper.Cmp(c.Lower) == 0 {
		return best, c, nil
	}
	mixed, _, err := Least(ctx, a.mean, s, LeastOptions{Gap: opt.Gap, Bytes: opt.Bytes})
	if err != nil {
		return nil, c, err
	}
	offer(mixed)
	return best, c, nil
}

// leastOfParts needs no search: what is constant on the parts of a value floor reaches
// the bound of each part by itself. A letter of the rarest part proves it under p.
func leastOfParts(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support) (*mechanism.Mechanism, Certificate,
	error) {
	m, err := mechanism.Uniform(s, mechanism.Floor{})
	if err != nil {
		return nil, Certificate{}, err
	}
	return m, Certificate{Weight: s.Parts().Rarest(p), Lower: m.Factor(p),
		Upper: m.Factor(append([]mechanism.Prior{p}, also...)...)}, nil
}

// LargestAmong is Largest under p and further priors at once: a mechanism whose
// factor is at most t under each of them, and the expected weight under p. Upper is
// proven under p alone; with t at the full width, how far Lower may be from the
// largest is at most what it leaves open. It fails with *FactorError where no
// mechanism within t is found.
func LargestAmong(ctx context.Context, p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support, t *big.Rat,
	w mechanism.Weights, opt Options) (*mechanism.Mechanism, Bracket, error) {
	m, worth, err := Largest(ctx, Problem{Prior: p, Support: s}, t, nil, w, opt)
	if err != nil || len(also) == 0 {
		return m, worth, err
	}
	o := &amongSearch{among: newAmong(p, also, s), factor: t}
	if o.cells, err = Weigh(o.Pattern, w); err != nil {
		return nil, worth, err
	}
	if over := o.offer(m); over == nil {
		worth.Factor = m.Factor(o.all...)
		return m, worth, nil // best under one prior, and within t under all
	}
	o.offer(opt.Near)
	if err := o.strict(ctx, opt.Bytes); err != nil {
		return nil, worth, err
	}
	if o.best == nil {
		least, c, err := LeastAmong(ctx, p, also, s, LeastOptions{Bytes: opt.Bytes})
		if err != nil {
			return nil, worth, err
		}
		if o.offer(least); o.best == nil {
			return nil, Bracket{}, &FactorError{Factor: t, Lower: c.Lower, Upper: c.Upper}
		}
	}
	worth.Lower, worth.Factor = o.value, o.best.Factor(o.all...)
	worth.Gap = o.cells.share(rounded(new(big.Rat).Sub(worth.Upper, worth.Lower)))
	return o.best, worth, nil
}

// An amongSearch has the most useful mechanism so far within the factor under all priors.
type amongSearch struct {
	*among
	factor *big.Rat
	cells  *Weighing
	best   *mechanism.Mechanism
	value  *big.Rat
}

// newAmong has about the mean of the shares, in which every letter counts that has
// records under any prior.
func newAmong(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support) *among {
	a := &among{Pattern: NewPattern(p, s), all: append([]mechanism.Prior{p}, also...)}
	count := make([]int64, p.Letters())
	for x := range count {
		share := 0.0
		for _, q := range a.all {
			if c := q.Count(x); c > 0 {
				share += float64(c) / float64(q.Total())
			}
		}
		if share > 0 {
			count[x] = max(1, int64(share/float64(len(a.all))*0x1p40))
		}
	}
	var err error
	if a.mean, err = mechanism.NewPrior(count); err != nil {
		a.mean = p
	}
	return a
}

// offer takes m where it is within the factor and worth more than the best so far; else
// it returns the factor, nil where m is no mechanism of the support.
func (o *amongSearch) offer(m *mechanism.Mechanism) (over *big.Rat) {
	if !o.Fits(m) {
		return nil
	}
	f := m.Factor(o.all...)
	if f.Cmp(o.factor) > 0 {
		return f
	}
	if v := o.cells.Value(m); o.best == nil || v.Cmp(o.value) > 0 {
		o.best, o.value = m, v
	}
	return nil
}

// weights make what is expected under the mean what is expected under p.
func (o *amongSearch) weights(x int, row []float64) {
	c := o.Prior.Count(x)
	if c == 0 {
		clear(row)
		return
	}
	o.cells.Weights(x, row)
	by := float64(c) / float64(o.Prior.Total()) / float64(o.mean.Count(x)) * float64(o.mean.Total())
	for y := range row {
		row[y] *= by
	}
}

// strict bisects the factor of the optimum under the mean, from the first that would do
// if the excess stayed as it is.
func (o *amongSearch) strict(ctx context.Context, bytes int64) error {
	limit, _ := o.factor.Float64()
	low, high := 0.0, math.Log(limit)
	for at, step := high, 0; step < strictSteps && high-low > 1e-3 && ctx.Err() == nil; step++ {
		f := new(big.Rat).SetFloat64(math.Exp(at))
		if f == nil || f.Cmp(o.factor) > 0 {
			f = o.factor
		}
		if f.Cmp(one) < 0 {
			f = one
		}
		m, _, err := Largest(ctx, Problem{Prior: o.mean, Support: o.Support}, f, nil, o.weights, Options{Bytes: bytes})
		var none *FactorError
		if err != nil && !errors.As(err, &none) {
			return err
		}
		over := (*big.Rat)(nil)
		if err == nil {
			over = o.offer(m)
		}
		if over == nil { // within it, or nothing is
			low = at
		} else {
			high = at
		}
		if at = (low + high) / 2; step == 0 && over != nil {
			f, _ := over.Float64()
			at = max(low, 2*math.Log(limit)-math.Log(f))
		}
	}
	return nil
}
