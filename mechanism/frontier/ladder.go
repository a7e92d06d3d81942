package frontier

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// A ladder holds the outputs of every input letter from best to worst,
// forbidden ones left out, in 16 bits each. B_x of any floor is a prefix, so
// that all floors of an order of 10,000 letters fit in 200 MB.
type ladder struct {
	prior   mechanism.Prior
	also    []mechanism.Prior // under which factors are counted, too
	outputs int
	reach   int // the most outputs of a letter that are looked at; fewer than all where they are too many
	best    [][]uint16
	means   bool // whether utility is asked for
	stop    *stopper
	// By the length m of the prefix (index m-1), every row cut to at most m:
	utility []float64 // sum_x P_x times the mean value of the prefix; 0 unless asked for
	worst   []float64 // least value that occurs, over all letters
}

// climb reads the whole order once; means asks for utility, too, which takes as
// long as all else. It fails with *NoOutputError on a row
// that forbids everything, and where the ranks do not follow the values.
func climb(p mechanism.Prior, o mechanism.Order, means bool, stop *stopper, also ...mechanism.Prior) (*ladder, error) {
	for _, q := range append([]mechanism.Prior{p}, also...) {
		if q.Letters() != o.Inputs() {
			panic("mechanism: prior and order differ in letters")
		}
	}
	n, m := o.Inputs(), o.Outputs()
	l := &ladder{prior: p, also: also, outputs: m, reach: m, best: make([][]uint16, n), means: means, stop: stop}
	if _, ok := o.(mechanism.Nearby); ok && !means && n*m > ListedCells {
		l.reach = min(m, ListedCells/n)
	}
	// Fixed parts merged in order: the sums do not depend on the processors.
	parts := min(n, 16)
	part := make([]*rungs, parts)
	interior.Parallel(0, parts, func(k int) { part[k] = l.read(o, k*n/parts, (k+1)*n/parts) })
	if err := stop.err(); err != nil {
		return nil, err
	}
	l.utility, l.worst = make([]float64, m), make([]float64, m)
	for j := range l.worst {
		var sum mechanism.Sum
		l.worst[j] = math.Inf(1)
		for _, r := range part {
			if r.err != nil {
				return nil, r.err
			}
			sum.Add(r.utility[j].Value())
			l.worst[j] = min(l.worst[j], r.worst[j])
		}
		l.utility[j] = sum.Value()
	}
	return l, nil
}

// rungs are the sums of one part of the rows.
type rungs struct {
	utility []mechanism.Sum
	worst   []float64
	err     error
}

func (l *ladder) read(o mechanism.Order, from, to int) *rungs {
	m := l.outputs
	r := &rungs{utility: make([]mechanism.Sum, m), worst: slices.Repeat([]float64{math.Inf(1)}, m)}
	rank, value, at := make([]uint16, m), make([]float64, m), make([]uint16, m)
	for x := from; x < to && !l.stop.over(m); x++ {
		if near, ok := o.(mechanism.Nearby); ok && l.reach < m {
			l.best[x] = near.Best(x, l.reach)
			mechanism.ValuesAt(o, x, l.best[x], value)
		} else {
			o.Row(x, rank, value)
			for y, k := range rank {
				at[m-int(k)] = uint16(y)
			}
			k := m
			for k > 0 && math.IsInf(value[at[k-1]], -1) {
				k--
			}
			l.best[x] = slices.Clone(at[:k])
		}
		b := l.best[x]
		if len(b) == 0 {
			r.err = &mechanism.NoOutputError{Letter: x, Floor: mechanism.RankFloor(1)}
			return r
		}
		weight := 0.0
		if l.means && l.prior.Total() > 0 {
			weight = float64(l.prior.Count(x)) / float64(l.prior.Total())
		}
		var sum mechanism.Sum
		least := value[b[0]]
		for j := range l.reach {
			if j < len(b) {
				v := value[b[j]]
				if !(v <= least) || math.IsInf(v, -1) {
					r.err = fmt.Errorf("order: row %d: output %d ranks below output %d and is worth more", x, b[j], b[j-1])
					return r
				}
				least = v
				if weight > 0 {
					sum.Add(v)
				}
			}
			r.worst[j] = min(r.worst[j], least)
			if weight > 0 {
				r.utility[j].Add(weight * (sum.Value() / float64(min(j+1, len(b)))))
			}
		}
	}
	return r
}

// under is the ladder under another prior alone; its utility is not.
func (l *ladder) under(p mechanism.Prior) *ladder {
	one := *l
	one.prior, one.also = p, nil
	return &one
}

// uniformFactor is the exact factor of the mechanism that is uniform on the
// first take[x] outputs of every letter, and the output that leaks most: the
// largest under any prior. See factor for the limit.
func (l *ladder) uniformFactor(take []int, limit *big.Rat) (y int, factor *big.Rat) {
	y, factor = l.factor(take, limit)
	for _, p := range l.also {
		if factor == nil {
			break
		}
		z, f := l.under(p).factor(take, limit)
		if f == nil || f.Cmp(factor) > 0 {
			y, factor = z, f
		}
	}
	return y, factor
}

// factor is that under the first prior. With a
// limit, the factor is nil where floats prove that it is above the limit, and
// the output one that is. Floats rank the outputs: each sum of positive terms is off by less
// than a relative (N+4) 2^-53 and each ratio by three roundings more, so only
// outputs within twice that of the largest can be largest. These few are
// computed exactly.
func (l *ladder) factor(take []int, limit *big.Rat) (y int, factor *big.Rat) {
	q, most := make([]float64, l.outputs), make([]float64, l.outputs)
	for x, b := range l.best {
		c := l.prior.Count(x)
		if c == 0 {
			continue
		}
		if l.stop.over(take[x]) {
			return -1, one
		}
		p := 1 / float64(take[x])
		w := float64(c) * p
		for _, y := range b[:take[x]] {
			q[y] += w
			most[y] = max(most[y], p)
		}
	}
	top, at := 0.0, -1
	for y := range q {
		if q[y] > 0 && most[y]/q[y] > top {
			top, at = most[y]/q[y], y
		}
	}
	if at < 0 {
		return -1, big.NewRat(1, 1)
	}
	margin := l.margin()
	if limit != nil && l.above(top, limit) {
		return at, nil
	}
	col := make([]*mechanism.Column, l.outputs)
	for y := range q {
		if q[y] > 0 && most[y]/q[y] >= top*(1-margin) {
			col[y] = &mechanism.Column{}
		}
	}
	return l.exact(take, col)
}

// margin is twice the relative error of a ratio computed in floats.
func (l *ladder) margin() float64 { return float64(2*len(l.best)+32) * 0x1p-52 }

// above reports whether n times a ratio computed in floats is surely above the
// limit.
func (l *ladder) above(ratio float64, limit *big.Rat) bool {
	f, _ := limit.Float64()
	return float64(l.prior.Total())*ratio*(1-2*l.margin()) > f
}

// exact computes the columns that are not nil in integers and returns the
// largest, the first on a tie.
func (l *ladder) exact(take []int, col []*mechanism.Column) (y int, factor *big.Rat) {
	var seen []int
	for x := range l.best {
		if l.prior.Count(x) > 0 {
			seen = append(seen, x)
		}
	}
	slices.SortStableFunc(seen, func(a, b int) int { return take[a] - take[b] })
	for _, x := range seen {
		if l.stop.over(take[x]) {
			return -1, one
		}
		for _, y := range l.best[x][:take[x]] {
			if k := col[y]; k != nil {
				k.Add(uint64(l.prior.Count(x)), 1, int64(take[x]))
			}
		}
	}
	y = -1
	for i, k := range col {
		if k == nil {
			continue
		}
		if f := k.Factor(l.prior.Total()); factor == nil || f.Cmp(factor) > 0 {
			y, factor = i, f
		}
	}
	return y, factor
}
