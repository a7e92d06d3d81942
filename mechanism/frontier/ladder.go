package frontier

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// climb reads the whole order once; means asks for the mean utility of the uniform mechanism of rank
// floors, too, which takes as long as all else. It fails with *NoOutputError on a row
// that forbids everything, and where the ranks do not follow the values.
func (d *Floors) climb(means bool) error {
	n, m := d.order.Inputs(), d.order.Outputs()
	d.outputs, d.reach, d.best = m, m, make([][]uint16, n)
	if slices.ContainsFunc(d.priors(), func(q mechanism.Prior) bool { return q.Letters() != n }) {
		panic("mechanism: prior and order differ in letters")
	}
	if _, ok := d.order.(mechanism.Nearby); ok && !means && n*m > ListedCells {
		d.reach = min(m, ListedCells/n)
	}
	// Fixed parts merged in order: the sums do not depend on the processors.
	parts := min(n, 16)
	part := make([]*rungs, parts)
	interior.Parallel(0, parts, func(k int) { part[k] = d.read(means, k*n/parts, (k+1)*n/parts) })
	if err := d.stop.err(); err != nil {
		return err
	}
	d.mean, d.worst = make([]float64, m), make([]float64, m)
	for j := range d.worst {
		var sum mechanism.Sum
		d.worst[j] = math.Inf(1)
		for _, r := range part {
			if r.err != nil {
				return r.err
			}
			sum.Add(r.utility[j].Value())
			d.worst[j] = min(d.worst[j], r.worst[j])
		}
		d.mean[j] = sum.Value()
	}
	return nil
}

// rungs are the sums of one part of the rows.
type rungs struct {
	utility []mechanism.Sum
	worst   []float64
	err     error
}

func (d *Floors) read(means bool, from, to int) *rungs {
	m, o := d.outputs, d.order
	r := &rungs{utility: make([]mechanism.Sum, m), worst: slices.Repeat([]float64{math.Inf(1)}, m)}
	rank, value, at := make([]uint16, m), make([]float64, m), make([]uint16, m)
	for x := from; x < to && !d.stop.over(m); x++ {
		if near, ok := o.(mechanism.Nearby); ok && d.reach < m {
			d.best[x] = near.Best(x, d.reach)
			mechanism.ValuesAt(o, x, d.best[x], value)
		} else {
			o.Row(x, rank, value)
			for y, k := range rank {
				at[m-int(k)] = uint16(y)
			}
			k := m
			for k > 0 && math.IsInf(value[at[k-1]], -1) {
				k--
			}
			d.best[x] = slices.Clone(at[:k])
		}
		b := d.best[x]
		if len(b) == 0 {
			r.err = &mechanism.NoOutputError{Letter: x, Floor: mechanism.RankFloor(1)}
			return r
		}
		weight := 0.0
		if means && d.prior.Total() > 0 {
			weight = float64(d.prior.Count(x)) / float64(d.prior.Total())
		}
		var sum mechanism.Sum
		least := value[b[0]]
		for j := range d.reach {
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
func (d *Floors) uniform(take []int) *mechanism.Mechanism {
	s := mechanism.NewSupport(len(d.best), d.outputs)
	for x, b := range d.best {
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
func (d *Floors) priors() []mechanism.Prior { return append([]mechanism.Prior{d.prior}, d.also...) }
