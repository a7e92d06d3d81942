// Package flat finds the pruned flat mechanism of a support: constant on every
// column, so that every output leaks the least that its support allows. A
// linear program in floating point proposes the column heights; integers are
// returned.
package flat

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// ErrNone says that a support carries no flat mechanism: B q = 1, q >= 0 has
// no solution. It happens only on rows of unequal size, such as
// [[1,1],[1,0],[0,1]].
var ErrNone = errors.New("mechanism: no flat mechanism on this support")

// Pruned is the pruned flat mechanism: p_xy = q_y on S_y, so that every output
// leaks the least its support allows, -log P(S_y) [SO, Lemma 2]. Columns with
// P(S_y) below theta are dropped, for the largest theta at which B q = 1,
// q >= 0 still has a solution; the factor is then 1/theta, at most that of the
// uniform mechanism wherever all rows allow equally many outputs. An output
// allowed for every letter gives factor 1.
//
// q is found in floating point and rounded to integers; where no roundable
// solution is found a column may be off constant by parts in 10^15, and
// Leakage tells. Only letters with records bind; the rest follow the same
// columns where they can. It fails with *NoOutputError and ErrNone.
func Pruned(p mechanism.Prior, s *mechanism.Support) (*mechanism.Mechanism, error) {
	f, err := New(p, s)
	if err != nil {
		return nil, err
	}
	return f.Least(context.Background())
}

// A Search is the search for a flat mechanism on one support.
type Search struct {
	prior   mechanism.Prior
	support *mechanism.Support
	seen    []int   // letters with records
	mass    []int64 // n P(S_y)
	Ceiling int64   // the largest theta, times n, that leaves every such letter an output; may be lowered
	Useless int64   // Least need not find theta, times n, of this or below
}

// New fails with *mechanism.NoOutputError.
func New(p mechanism.Prior, s *mechanism.Support) (*Search, error) {
	if p.Letters() != s.Inputs() {
		panic("mechanism: prior and support differ in letters")
	}
	if x := s.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	f := &Search{prior: p, support: s, mass: s.Mass(p), Ceiling: p.Total()}
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
		f.Ceiling = min(f.Ceiling, most)
	}
	return f, nil
}

// Least finds the largest theta by bisection: more columns never hurt.
func (f *Search) Least(ctx context.Context) (*mechanism.Mechanism, error) {
	if len(f.seen) == 0 {
		return mechanism.Uniform(f.support, mechanism.Floor{})
	}
	var theta []int64
	for _, m := range f.mass {
		if m > f.Useless && m <= f.Ceiling {
			theta = append(theta, m)
		}
	}
	slices.Sort(theta)
	theta = slices.Compact(theta)
	slices.Reverse(theta)
	if len(theta) == 0 {
		return nil, ErrNone
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
		return nil, ErrNone
	}
	return f.round(found)
}

// Within finds a flat mechanism from the columns whose own factor 1/P(S_y)
// admits, with the largest sum_y q_y gain_y for gains at most 0; ErrNone
// where there is none.
func (f *Search) Within(ctx context.Context, e mechanism.Epsilon, gain []float64) (*mechanism.Mechanism, error) {
	if len(f.seen) == 0 {
		return mechanism.Uniform(f.support, mechanism.Floor{})
	}
	theta, need := f.Ceiling, e.LeastMass(f.prior.Total())
	if theta < need {
		return nil, ErrNone
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
		return nil, ErrNone
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
		return nil, ErrNone
	}
	return m, nil
}

// solve returns q over all outputs with B q = 1 for the letters with records,
// from columns of mass at least theta; nil where there is none.
func (f *Search) solve(ctx context.Context, theta int64, gain []float64) []float64 {
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
