package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// Weights fills row[y] with w(x,y), the worth of output y for letter x, for
// every y; what it says of outputs that the support forbids is not used. It
// must be safe for concurrent use.
type Weights func(x int, row []float64)

// ValueWeights are the values u'(x,y) of an order.
func ValueWeights(o Order) Weights {
	return func(x int, row []float64) { o.Row(x, nil, row) }
}

// RankWeights are the ranks u(x,y) of an order.
func RankWeights(o Order) Weights {
	return func(x int, row []float64) {
		rank := make([]uint16, len(row))
		o.Row(x, rank, nil)
		for y, r := range rank {
			row[y] = float64(r)
		}
	}
}

// OptimalOptions bound the search of Optimal. The zero value is usual.
type OptimalOptions struct {
	// Near is a mechanism known to be within the factor, such as the one of
	// Least; it is what Optimal falls back to. When nil, Least is called
	// where it is needed.
	Near *Mechanism
	// Tighten asks for the least factor, to a relative 1e-6, at the utility
	// found, given up to 1e-7 of the range of the weights.
	Tighten bool
	// Bytes is the most memory the float solver may take; 0 means 4 GiB.
	Bytes int64
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

// Optimal returns a mechanism with the largest expected utility
// sum_x P_x sum_y p_xy w(x,y) among those with support s whose factor e^eps
// under p is at most t. The factor is compared exactly, so the mechanism is
// within t whatever the float solver did, and the Worth brackets how far its
// utility may be from the largest. Expected utility jumps at the factors
// 1/P(S_y), where output y becomes possible: t should be an exact rational.
//
// It fails with *NoOutputError, with *FactorError when t is below the least
// factor of the support, and on weights of allowed cells that are not finite.
func Optimal(ctx context.Context, p Prior, s *Support, t *big.Rat, w Weights, opt OptimalOptions) (*Mechanism, Worth, error) {
	plain, err := uniform(s, Floor{})
	if err != nil {
		return nil, Worth{}, err
	}
	o, err := newOptimalSearch(p, s, t, w)
	if err != nil {
		return nil, Worth{}, err
	}
	m, err := o.favourite()
	if err != nil {
		return nil, Worth{}, err
	}
	o.offer(m)
	if p.Total() > 0 {
		if o.best == nil && o.affords(opt.Bytes) {
			o.search(ctx)
		}
		o.offer(plain)
		o.offer(opt.Near)
		if o.best == nil {
			least, c, err := Least(ctx, p, s, LeastOptions{Bytes: opt.Bytes})
			if err != nil {
				return nil, Worth{}, err
			}
			if !o.offer(least) {
				return nil, Worth{}, &FactorError{Factor: t, Lower: c.Lower, Upper: c.Upper}
			}
		}
		if opt.Tighten && o.affords(opt.Bytes) {
			o.tighten(ctx)
		}
	}
	return o.best, o.worth, nil
}

// An optimalSearch holds the best mechanism within the factor so far.
type optimalSearch struct {
	*pattern
	factor *big.Rat
	w      *ledger
	best   *Mechanism
	worth  Worth
	probe  bool // one attempt is enough
}

func newOptimalSearch(p Prior, s *Support, t *big.Rat, w Weights) (*optimalSearch, error) {
	o := &optimalSearch{pattern: newPattern(p, s), factor: t}
	var err error
	if o.w, err = newLedger(o.pattern, w); err != nil {
		return nil, err
	}
	o.worth.Upper = o.w.ceiling()
	return o, nil
}

// offer takes m when its exact factor is within the limit and its utility
// above that of the best so far.
func (o *optimalSearch) offer(m *Mechanism) bool {
	if m == nil || m.Inputs() != o.s.Inputs() || m.Outputs() != o.s.Outputs() {
		return false
	}
	if _, _, ok := m.Within(o.s); !ok {
		return false
	}
	_, f := m.Leakage(o.prior).Max()
	if f.Cmp(o.factor) > 0 {
		return false
	}
	if v := o.w.value(m); o.best == nil || v.Cmp(o.worth.Value) > 0 {
		o.best, o.worth.Value, o.worth.Factor = m, v, f
	}
	return true
}

// favourite gives every letter its best output: the optimum when its factor
// is within the limit.
func (o *optimalSearch) favourite() (*Mechanism, error) {
	row := make([]Row, o.prior.Letters())
	law := make([]float64, o.s.Outputs())
	value := make([]float64, o.s.Outputs())
	for x := range row {
		output := o.s.AppendRow(nil, x)
		o.w.fill(x, value)
		best := output[0]
		for _, y := range output {
			if value[y] > value[best] {
				best = y
			}
		}
		row[x] = UniformRow([]uint16{best})
		if o.prior.Count(x) > 0 {
			law[best] = 1
		}
	}
	o.unseen(row, law, o.w.preferred)
	return New(o.s.Outputs(), row)
}

// margins are the relative amounts by which the float solver stays below the
// factor, so that rounding to integers does not cross it. Without a margin
// only tables of small denominators can be within it.
var margins = []float64{1e-9, 0, 3e-8, 1e-6}

// search solves in floating point, below the factor, rounds, and keeps what
// is exactly within it. Outputs are classed in integers: with t P(S_y) < 1
// out, at equality level, above it free.
func (o *optimalSearch) search(ctx context.Context) {
	t, _ := o.factor.Float64()
	if math.IsInf(t, 0) || o.factor.Cmp(one) < 0 {
		return
	}
	for _, margin := range margins {
		pr, w, flat, output, ok := o.problem(t * (1 - margin))
		if !ok {
			return
		}
		out := interior.Best(ctx, pr, t*(1-margin), flat, w, interior.Options{})
		if out.Y != nil {
			o.bounded(out.Y)
		}
		if out.P != nil && o.settle(out.P, flat, output) {
			return
		}
		if ctx.Err() != nil || o.probe {
			return
		}
	}
}

// problem is the linear program at t, just below the factor. ok is false when
// a letter has no output left.
func (o *optimalSearch) problem(t float64) (pr interior.Problem, w [][]float64, flat []bool, output []int, ok bool) {
	n := o.prior.Total()
	served := make([]bool, len(o.letter))
	for _, c := range o.count {
		pr.Prob = append(pr.Prob, float64(c)/float64(n))
	}
	limit := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(n), o.factor.Denom()), o.factor.Num())
	for y, rows := range o.column {
		if len(rows) == 0 || new(big.Rat).SetInt64(o.mass[y]).Cmp(limit) < 0 {
			continue
		}
		pr.Column = append(pr.Column, rows)
		w = append(w, o.w.cell[y])
		flat = append(flat, t*float64(o.mass[y])/float64(n)-1 <= 2e-9)
		output = append(output, y)
		for _, i := range rows {
			served[i] = true
		}
	}
	for _, s := range served {
		if !s {
			return pr, nil, nil, nil, false
		}
	}
	return pr, w, flat, output, true
}
