package optimum

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// ErrNoFlat says that a support carries no flat mechanism: B q = 1, q >= 0 has
// no solution. It happens only on rows of unequal size, such as
// [[1,1],[1,0],[0,1]].
var ErrNoFlat = errors.New("mechanism: no flat mechanism on this support")

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
// columns where they can. It fails with *NoOutputError and ErrNoFlat.
func Pruned(p mechanism.Prior, s *mechanism.Support) (*mechanism.Mechanism, error) {
	f, err := NewFlatSearch(p, s)
	if err != nil {
		return nil, err
	}
	return f.Least(context.Background())
}

// A FlatSearch is the search for a flat mechanism on one support. Under several
// priors a column costs the largest of its factors 1/P(S_y).
type FlatSearch struct {
	prior   []mechanism.Prior
	support *mechanism.Support
	seen    []int      // letters with records under some prior
	cost    []*big.Rat // the different costs of columns, falling; cost[0] is nil, for columns that no such letter gives
	place   []int      // of the cost of each column
	share   []int64    // about 1/cost of each column, in units of its own
	ceiling int        // the place of the least cost that leaves every such letter an output
	useless int        // Least need not find costs at this place or before it
}

// NewFlatSearch is the search under p and, at once, under the priors that follow. It
// fails with *mechanism.NoOutputError.
func NewFlatSearch(p mechanism.Prior, s *mechanism.Support, also ...mechanism.Prior) (*FlatSearch, error) {
	f := &FlatSearch{prior: append([]mechanism.Prior{p}, also...), support: s}
	for _, q := range f.prior {
		if q.Letters() != s.Inputs() {
			panic("mechanism: prior and support differ in letters")
		}
	}
	if x := s.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	f.price()
	f.ceiling = len(f.cost) - 1
	var row []uint16
	for x := range s.Inputs() {
		if !slices.ContainsFunc(f.prior, func(q mechanism.Prior) bool { return q.Count(x) > 0 }) {
			continue
		}
		f.seen = append(f.seen, x)
		most := 0
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			most = max(most, f.place[y])
		}
		f.ceiling = min(f.ceiling, most)
	}
	return f, nil
}

// price sorts the columns by what they cost.
func (f *FlatSearch) price() {
	cost := make([]*big.Rat, f.support.Outputs())
	f.share, f.place = f.support.Mass(f.prior[0]), make([]int, len(cost))
	for k, q := range f.prior {
		mass := f.share
		if k > 0 {
			mass = f.support.Mass(q)
		}
		for y, m := range mass {
			if m == 0 {
				continue
			}
			if c := big.NewRat(q.Total(), m); cost[y] == nil || c.Cmp(cost[y]) > 0 {
				cost[y] = c
			}
		}
	}
	if len(f.prior) > 1 {
		const unit = 1 << 50
		for y, c := range cost {
			if f.share[y] = 0; c != nil {
				v, _ := c.Float64()
				f.share[y] = max(1, int64(unit/v))
			}
		}
	}
	by := make([]int, 0, len(cost))
	for y, c := range cost {
		if c != nil {
			by = append(by, y)
		}
	}
	slices.SortFunc(by, func(a, b int) int { return cost[b].Cmp(cost[a]) })
	f.cost = []*big.Rat{nil}
	for _, y := range by {
		if last := f.cost[len(f.cost)-1]; last == nil || last.Cmp(cost[y]) != 0 {
			f.cost = append(f.cost, cost[y])
		}
		f.place[y] = len(f.cost) - 1
	}
}

// Bound is a factor that no flat mechanism goes below, and under one prior no
// other one either: some letter must give one of its outputs. It is 1 where no
// letter has records.
func (f *FlatSearch) Bound() *big.Rat {
	if len(f.seen) == 0 {
		return big.NewRat(1, 1)
	}
	return f.cost[f.ceiling]
}

// Above says that no flat mechanism has a factor below lower, which spares
// work.
func (f *FlatSearch) Above(lower *big.Rat) { f.ceiling = min(f.ceiling, f.at(lower)) }

// Below says that Least need not find factors of this or more.
func (f *FlatSearch) Below(factor *big.Rat) { f.useless = max(f.useless, f.at(factor)) }

// at is the place of the least cost of factor or more; 0 where there is none.
func (f *FlatSearch) at(factor *big.Rat) int {
	place := 0
	for i, c := range f.cost {
		if c != nil && c.Cmp(factor) >= 0 {
			place = i
		}
	}
	return place
}

// Least finds the largest theta by bisection: more columns never hurt.
func (f *FlatSearch) Least(ctx context.Context) (*mechanism.Mechanism, error) {
	if len(f.seen) == 0 {
		return mechanism.Uniform(f.support, mechanism.Floor{})
	}
	var theta []int
	for place := f.ceiling; place > f.useless; place-- {
		theta = append(theta, place)
	}
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

// Within finds a flat mechanism from the columns whose own factor 1/P(S_y)
// e admits, with the largest sum_y q_y gain_y for gains at most 0; ErrNone
// where there is none.
func (f *FlatSearch) Within(ctx context.Context, e mechanism.Epsilon, gain []float64) (*mechanism.Mechanism, error) {
	if len(f.seen) == 0 {
		return mechanism.Uniform(f.support, mechanism.Floor{})
	}
	theta := f.ceiling
	if !e.Admits(f.cost[theta]) {
		return nil, ErrNoFlat
	}
	for theta > 1 && e.Admits(f.cost[theta-1]) {
		theta--
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
		if e.Admits(better.Factor(f.prior...)) {
			return better, nil
		}
	}
	if !e.Admits(m.Factor(f.prior...)) {
		return nil, ErrNoFlat
	}
	return m, nil
}

// solve returns q over all outputs with B q = 1 for the letters with records,
// from columns whose cost is at place theta or after it; nil where there is none.
func (f *FlatSearch) solve(ctx context.Context, theta int, gain []float64) []float64 {
	var live []int
	for y, place := range f.place {
		if place >= theta {
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
	q := make([]float64, len(f.place))
	for j, v := range e.polish() {
		q[live[j]] = v
	}
	return q
}
