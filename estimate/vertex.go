package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/recovery"
)

// A vertex is a corner of the set of laws P >= 0 with the chances of outputs that a fit
// has. Its basic letters follow from the free ones, which are 0:
//
//	P_basic + table P_free = what the outputs say
//
// The table has as many columns as laws have freedom, few where a mechanism is nearly
// regular.
type vertex struct {
	basic, free []int
	table       [][]float64 // by basic and free letter
	share       []float64   // by letter
	cost        []float64   // reduced, by free letter

	law *mechanism.Mechanism // that the outputs say it by
}

// Tolerances of the simplex method, in units of chances and shares.
const (
	smallest = 1e-10 // an entry that may be divided by
	dearest  = 1e-11 // a reduced cost that is none
)

// newVertex goes from the fit to a corner. Where floats cannot tell all that the mechanism
// tells, a coarse one drops what they cannot tell: more laws are as likely then.
func newVertex(f *Fit, coarse bool) *vertex {
	v := &vertex{share: slices.Clone(f.Share), law: f.c.law}
	rank := f.c.Rank()
	if slices.Contains(f.s.Count, 0) {
		v.law = f.c.lumped(func(int) bool { return true }, f.s.Count)
		rank = SpanOf(v.law).Rank()
	}
	v.solve(rank, coarse)
	v.cost = make([]float64, len(v.free))
	for k, x := range v.free {
		v.empty(k, x)
	}
	return v
}

// clone is another vertex that is the same.
func (v *vertex) clone() *vertex {
	of := *v
	of.basic, of.free = slices.Clone(v.basic), slices.Clone(v.free)
	of.share, of.cost = slices.Clone(v.share), slices.Clone(v.cost)
	of.table = make([][]float64, len(v.table))
	for i, row := range v.table {
		of.table[i] = slices.Clone(row)
	}
	return &of
}

// be goes to a vertex of the same laws.
func (v *vertex) be(of *vertex) {
	copy(v.basic, of.basic)
	copy(v.free, of.free)
	copy(v.share, of.share)
	for i, row := range of.table {
		copy(v.table[i], row)
	}
}

// solve chooses basic letters by complete pivoting, as many as the rank unless pivots are
// too small before, and solves the equations for them.
func (v *vertex) solve(rank int, coarse bool) {
	law := v.law
	n, m := law.Inputs(), law.Outputs()
	if rank == n && !coarse {
		for x := range n {
			v.basic, v.table = append(v.basic, x), append(v.table, nil)
		}
		return
	}
	p := recovery.Chances(law)
	a := make([][]float64, m)
	for y := range a {
		a[y] = mat.Col(nil, y, p)
	}
	v.free = make([]int, n)
	for x := range v.free {
		v.free[x] = x
	}
	top := 0
	for ; top < rank; top++ {
		row, column, most := top, 0, 0.0
		for y := top; y < m; y++ {
			for k, x := range v.free {
				if w := math.Abs(a[y][x]); w > most {
					row, column, most = y, k, w
				}
			}
		}
		if !(most > smallest) {
			break
		}
		x := v.free[column]
		v.free = append(v.free[:column], v.free[column+1:]...)
		v.basic = append(v.basic, x)
		a[top], a[row] = a[row], a[top]
		by := a[top][x]
		for _, z := range v.free {
			a[top][z] /= by
		}
		for y := range a {
			if w := a[y][x]; y != top && w != 0 {
				for _, z := range v.free {
					a[y][z] -= w * a[top][z]
				}
			}
		}
	}
	for i := range top {
		row := make([]float64, len(v.free))
		for k, z := range v.free {
			row[k] = a[i][z]
		}
		v.table = append(v.table, row)
	}
}

// empty takes the share of a free letter to 0, or until a basic letter has none left and
// takes its place.
func (v *vertex) empty(k, x int) {
	at, most := -1, v.share[x]
	for i, row := range v.table {
		if row[k] < -smallest {
			if room := v.share[v.basic[i]] / -row[k]; room < most {
				at, most = i, room
			}
		}
	}
	v.move(k, -most)
	if at >= 0 {
		v.swap(at, k)
	} else {
		v.share[x] = 0
	}
}

// least finds the smallest weighted sum of shares. It sets the weights c' <= c of a sum
// that can be estimated and has that value here. It may fail where floats go wrong.
func (v *vertex) least(weight, estimable []float64) (value float64, ok bool) {
	patience := 50*len(v.share) + 1000
	for round := 0; ; round++ {
		if round > patience {
			return 0, false
		}
		v.price(weight)
		// The dearest first; the first of all once that may go in circles [Bland 1977].
		enter, first := -1, round > patience/2
		for k, cost := range v.cost {
			if cost < -dearest && (enter < 0 || !first && cost < v.cost[enter] || first && v.free[k] < v.free[enter]) {
				enter = k
			}
		}
		if enter < 0 {
			break
		}
		leave, room := -1, math.Inf(1)
		for i, row := range v.table {
			if !(row[enter] > smallest) {
				continue
			}
			r := v.share[v.basic[i]] / row[enter]
			better := leave >= 0 && r == room && (first && v.basic[i] < v.basic[leave] ||
				!first && row[enter] > v.table[leave][enter])
			if r < room || better {
				leave, room = i, r
			}
		}
		if leave < 0 {
			return 0, false // shares add up to 1, so that one of them must end this
		}
		v.move(enter, room)
		v.swap(leave, enter)
	}
	for x, w := range weight {
		value += w * v.share[x]
		estimable[x] = w
	}
	for k, x := range v.free {
		estimable[x] -= v.cost[k]
	}
	return value, true
}

// price sets what a unit of every free letter costs, with what it changes.
func (v *vertex) price(weight []float64) {
	for k, x := range v.free {
		v.cost[k] = weight[x]
	}
	for i, row := range v.table {
		if w := weight[v.basic[i]]; w != 0 {
			for k, t := range row {
				v.cost[k] -= w * t
			}
		}
	}
}

// move adds to the share of free letter k, and the basic ones follow.
func (v *vertex) move(k int, by float64) {
	v.share[v.free[k]] += by
	for i, row := range v.table {
		if row[k] != 0 {
			v.share[v.basic[i]] = max(0, v.share[v.basic[i]]-row[k]*by)
		}
	}
}

// swap makes free letter k basic, in the place of basic letter i, whose share is 0.
func (v *vertex) swap(i, k int) {
	v.share[v.basic[i]] = 0
	pivot := v.table[i]
	by := pivot[k]
	for j := range pivot {
		pivot[j] /= by
	}
	pivot[k] = 1 / by
	for o, row := range v.table {
		if w := row[k]; o != i && w != 0 {
			for j, t := range pivot {
				row[j] -= w * t
			}
			row[k] = -w / by
		}
	}
	v.basic[i], v.free[k] = v.free[k], v.basic[i]
}
