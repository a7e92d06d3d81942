package mechanism

import (
	"context"
	"errors"
	"math"
	"slices"
)

// ErrNoFlat says that a support carries no flat mechanism: B q = 1, q >= 0 has
// no solution. It happens only on rows of unequal size, such as
// [[1,1],[1,0],[0,1]].
var ErrNoFlat = errors.New("mechanism: no flat mechanism on this support")

// Flat is the pruned flat mechanism: p_xy = q_y on S_y, so that every output
// leaks the least its support allows, -log P(S_y) [SO, Lemma 2]. Columns with
// P(S_y) below theta are dropped, for the largest theta at which B q = 1,
// q >= 0 still has a solution; the factor is then 1/theta, at most that of the
// uniform mechanism wherever all rows allow equally many outputs. An output
// allowed for every letter gives factor 1.
//
// q is found in floating point and rounded to integers; where no roundable
// solution is found a column may be off constant by parts in 10^15, and
// Leakage tells. Only letters with records bind; the rest follow the same
// columns where they can. It fails with *NoOutputError and ErrNoFlat.
func Flat(p Prior, s *Support) (*Mechanism, error) {
	f, err := newFlat(p, s)
	if err != nil {
		return nil, err
	}
	return f.least(context.Background())
}

// flat is the search for a flat mechanism on one support.
type flat struct {
	prior   Prior
	support *Support
	seen    []int   // letters with records
	mass    []int64 // n P(S_y)
	ceiling int64   // the largest theta, times n, that leaves every such letter an output
	useless int64   // least need not find theta, times n, of this or below
}

func newFlat(p Prior, s *Support) (*flat, error) {
	if p.Letters() != s.Inputs() {
		panic("mechanism: prior and support differ in letters")
	}
	if x := s.Empty(); x >= 0 {
		return nil, &NoOutputError{Letter: x}
	}
	f := &flat{prior: p, support: s, mass: s.Mass(p), ceiling: p.Total()}
	var row []uint16
	for x := range s.Inputs() {
		if p.Count(x) == 0 {
			continue
		}
		f.seen = append(f.seen, x)
		most := int64(0)
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			most = max(most, f.mass[y])
		}
		f.ceiling = min(f.ceiling, most)
	}
	return f, nil
}

// least finds the largest theta by bisection: more columns never hurt.
func (f *flat) least(ctx context.Context) (*Mechanism, error) {
	if len(f.seen) == 0 {
		return uniform(f.support, Floor{})
	}
	var theta []int64
	for _, m := range f.mass {
		if m > f.useless && m <= f.ceiling {
			theta = append(theta, m)
		}
	}
	slices.Sort(theta)
	theta = slices.Compact(theta)
	slices.Reverse(theta)
	if len(theta) == 0 {
		return nil, ErrNoFlat
	}
	var found []float64
	try := func(i int) bool {
		q := f.solve(ctx, theta[i], nil)
		if q != nil {
			found = q
		}
		return q != nil
	}
	// The ceiling is often reached, so it is tried first; then lo is refused
	// and hi is not known to be.
	if !try(0) {
		lo, hi := 0, len(theta)
		for hi-lo > 1 {
			if mid := (lo + hi) / 2; try(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, ErrNoFlat
	}
	return f.round(found)
}

// within finds a flat mechanism from the columns whose own factor 1/P(S_y)
// admits, with the largest sum_y q_y gain_y for gains at most 0; ErrNoFlat
// where there is none.
func (f *flat) within(ctx context.Context, e Epsilon, gain []float64) (*Mechanism, error) {
	if len(f.seen) == 0 {
		return uniform(f.support, Floor{})
	}
	theta, need := f.ceiling, leastAdmitted(f.prior.Total(), e)
	if theta < need {
		return nil, ErrNoFlat
	}
	for _, m := range f.mass {
		if m >= need && m < theta {
			theta = m
		}
	}
	q := f.solve(ctx, theta, nil)
	if q == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, ErrNoFlat
	}
	m, err := f.round(q)
	if err != nil {
		return nil, err
	}
	if gain != nil {
		q = f.solve(ctx, theta, gain)
	}
	if gain != nil && q != nil {
		better, err := f.round(q)
		if err != nil {
			return nil, err
		}
		if _, l := better.Leakage(f.prior).Max(); e.Admits(l) {
			return better, nil
		}
	}
	if _, l := m.Leakage(f.prior).Max(); !e.Admits(l) {
		return nil, ErrNoFlat
	}
	return m, nil
}

// solve returns q over all outputs with B q = 1 for the letters with records,
// from columns of mass at least theta; nil where there is none.
func (f *flat) solve(ctx context.Context, theta int64, gain []float64) []float64 {
	var live []int
	for y, m := range f.mass {
		if m >= theta {
			live = append(live, y)
		}
	}
	e := &elastic{price: 1, column: make([][]int32, len(live))}
	// Equal rows are one equation.
	known := make(map[string]bool)
	key := make([]byte, len(live))
	for _, x := range f.seen {
		for j, y := range live {
			key[j] = 0
			if f.support.Allowed(x, y) {
				key[j] = 1
			}
		}
		if known[string(key)] {
			continue
		}
		known[string(key)] = true
		for j := range live {
			if key[j] == 1 {
				e.column[j] = append(e.column[j], int32(e.rows))
			}
		}
		e.rows++
	}
	if gain != nil {
		e.price = 100
		e.gain = make([]float64, len(live))
		scale := 0.0
		for _, y := range live {
			scale = max(scale, -gain[y])
		}
		for j, y := range live {
			e.gain[j] = gain[y] / max(scale, math.SmallestNonzeroFloat64)
		}
	}
	if e.solve(ctx) != solved {
		return nil
	}
	q := make([]float64, len(f.mass))
	for j, v := range e.polish() {
		q[live[j]] = v
	}
	return q
}
