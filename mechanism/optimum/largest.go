package optimum

import (
	"context"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// LargestOptions bound the search of Largest. The zero value is usual.
type LargestOptions struct {
	// Near is a mechanism known to be within the factor, such as the one of
	// Least; it is what Largest falls back to. When nil, Least is called
	// where it is needed.
	Near *mechanism.Mechanism
	// Least is a factor proven that no mechanism of the support goes below, such
	// as the Lower of Least's certificate; nil means not known. It spares work.
	Least *big.Rat
	// Tighten asks for the least factor, to a relative 1e-6, at the utility
	// found, given up to 1e-7 of the range of the weights, or for what a few
	// solves find.
	Tighten bool
	// Bytes is the most memory the float solver may take; 0 means 4 GiB.
	Bytes int64
	// Sparse takes the method for many letters and few cells instead, which leaves
	// more of the utility open.
	Sparse bool
}

// A FactorError says that no mechanism of the support was found within the
// factor asked for.
type FactorError struct {
	Factor *big.Rat // what was asked for
	Lower  *big.Rat // the least factor of the support lies in Lower .. Upper
	Upper  *big.Rat
}

func (e *FactorError) Error() string {
	const digits = 9
	word := "was found"
	if e.Factor.Cmp(e.Lower) < 0 {
		word = "exists"
	}
	return fmt.Sprintf("mechanism: none within factor %s %s: the least is in %s .. %s",
		e.Factor.FloatString(digits), word, e.Lower.FloatString(digits), e.Upper.FloatString(digits))
}

// Largest returns a mechanism with the largest expected utility
// sum_x P_x sum_y p_xy w(x,y) among those with support s whose factor e^eps
// under p is at most t. The factor is compared exactly, so the mechanism is
// within t whatever the float solver did, and the Worth brackets how far its
// utility may be from the largest. Expected utility jumps at the factors
// 1/P(S_y), where output y becomes possible: t should be an exact rational.
//
// It fails with *NoOutputError, with *FactorError when t is below the least
// factor of the support, and on weights of allowed cells that are not finite.
func Largest(ctx context.Context, p mechanism.Prior, s *mechanism.Support, t *big.Rat, w mechanism.Weights,
	opt LargestOptions) (*mechanism.Mechanism, Worth, error) {
	plain, err := mechanism.Uniform(s, mechanism.Floor{})
	if err != nil {
		return nil, Worth{}, err
	}
	o, err := newLargestSearch(p, s, t, w)
	if err != nil {
		return nil, Worth{}, err
	}
	o.edge = !exceeds(t, opt.Least, 1e-9)
	if _, ok := o.admits(opt.Near); ok {
		o.inner = opt.Near
	}
	m, err := o.favourite()
	if err != nil {
		return nil, Worth{}, err
	}
	o.offer(m)
	if p.Total() > 0 {
		switch {
		case o.best != nil:
		case opt.Sparse:
			o.sparse(ctx)
		case o.Affords(opt.Bytes):
			o.search(ctx)
		}
		o.offer(plain)
		o.offer(opt.Near)
		if o.best == nil {
			least, c, err := Least(ctx, p, s, LeastOptions{Bytes: opt.Bytes, Sparse: opt.Sparse})
			if err != nil {
				return nil, Worth{}, err
			}
			if !o.offer(least) {
				return nil, Worth{}, &FactorError{Factor: t, Lower: c.Lower, Upper: c.Upper}
			}
		}
		if opt.Tighten && !opt.Sparse && o.Affords(opt.Bytes) && exceeds(o.worth.Factor, opt.Least, 1e-6) {
			o.tighten(ctx)
		}
	}
	return o.best, o.worth, nil
}

// A largestSearch holds the best mechanism within the factor so far.
type largestSearch struct {
	*Pattern
	factor *big.Rat
	w      *Weighing
	best   *mechanism.Mechanism
	worth  Worth
	probe  bool                 // one attempt is enough
	inner  *mechanism.Mechanism // one within the factor, or nil
	edge   bool                 // below the factor there is nothing: it is the least one
	price  []float64            // the prices of the last solve, by place in letter
}

func newLargestSearch(p mechanism.Prior, s *mechanism.Support, t *big.Rat, w mechanism.Weights) (*largestSearch,
	error) {
	o := &largestSearch{Pattern: NewPattern(p, s), factor: t}
	var err error
	if o.w, err = Weigh(o.Pattern, w); err != nil {
		return nil, err
	}
	o.worth.Upper = o.w.Ceiling()
	return o, nil
}

// offer takes m when its exact factor is within the limit and its utility
// above that of the best so far; it reports whether the former is so.
func (o *largestSearch) offer(m *mechanism.Mechanism) bool {
	f, ok := o.admits(m)
	if !ok {
		return false
	}
	if v := o.w.Value(m); o.best == nil || v.Cmp(o.worth.Value) > 0 {
		o.best, o.worth.Value, o.worth.Factor = m, v, f
	}
	return true
}

// admits reports whether m is a mechanism of the support within the limit, and
// its exact factor.
func (o *largestSearch) admits(m *mechanism.Mechanism) (*big.Rat, bool) {
	f := o.FactorOf(m)
	return f, f != nil && f.Cmp(o.factor) <= 0
}

// FactorOf is the exact factor of m; nil where m is no mechanism of the support.
func (t *Pattern) FactorOf(m *mechanism.Mechanism) *big.Rat {
	if !t.Fits(m) {
		return nil
	}
	return m.Factor(t.Prior)
}

// Fits reports whether m is a mechanism of the support.
func (t *Pattern) Fits(m *mechanism.Mechanism) bool {
	if m == nil || m.Inputs() != t.Support.Inputs() || m.Outputs() != t.Support.Outputs() {
		return false
	}
	_, _, ok := m.Within(t.Support)
	return ok
}

// favourite gives every letter its best output: the optimum when its factor
// is within the limit.
func (o *largestSearch) favourite() (*mechanism.Mechanism, error) {
	row := make([]mechanism.Row, o.Prior.Letters())
	law := make([]float64, o.Support.Outputs())
	value := make([]float64, o.Support.Outputs())
	for x := range row {
		output := o.Support.AppendRow(nil, x)
		o.w.Weights(x, value)
		best := output[0]
		for _, y := range output {
			if value[y] > value[best] {
				best = y
			}
		}
		row[x] = mechanism.UniformRow([]uint16{best})
		if o.Prior.Count(x) > 0 {
			law[best] = 1
		}
	}
	Unseen(o.Pattern, row, law, o.w.Preferred)
	return mechanism.New(o.Support.Outputs(), row)
}
