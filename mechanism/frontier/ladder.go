package frontier

import (
	"fmt"
	"math"
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
	n, m := o.Inputs(), o.Outputs()
	l := &ladder{prior: p, also: also, outputs: m, reach: m, best: make([][]uint16, n), means: means, stop: stop}
	if slices.ContainsFunc(l.priors(), func(q mechanism.Prior) bool { return q.Letters() != n }) {
		panic("mechanism: prior and order differ in letters")
	}
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

// uniform is uniform on the first take[x] outputs of every letter.
func (l *ladder) uniform(take []int) *mechanism.Mechanism {
	s := mechanism.NewSupport(len(l.best), l.outputs)
	for x, b := range l.best {
		for _, y := range b[:take[x]] {
			s.Allow(x, int(y))
		}
	}
	m, err := mechanism.Uniform(s, mechanism.Floor{})
	if err != nil {
		panic(err) // every letter has its best output
	}
	return m
}

// priors are all under which factors are counted.
func (l *ladder) priors() []mechanism.Prior { return append([]mechanism.Prior{l.prior}, l.also...) }
