package utility

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/tacet-privacy/tacet/mechanism"
)

var _ mechanism.Line = (*line)(nil)

// Places implements mechanism.Line.
func (o *line) Places() (in, out []uint64, around uint64, scale float64) {
	return o.in, o.out, o.around, o.scale
}

// Along implements mechanism.Line.
func (o *line) Along() []uint16 { return o.along }

// Value implements mechanism.Nearby.
func (o *line) Value(x, y int) float64 { return o.value(o.in[x], o.out[y]) }

// outward are all outputs from the nearest on, each with its value: these never rise.
func (o *line) outward(x int) iter.Seq2[uint16, float64] {
	return func(yield func(uint16, float64) bool) {
		p, m := o.in[x], len(o.along)
		right := sort.Search(m, func(i int) bool { return o.out[o.along[i]] >= p })
		left := right - 1
		for range m {
			// On a circle both sides go on behind the ends, and meet there.
			if o.around > 0 {
				left, right = (left+m)%m, right%m
			}
			at := right
			if right >= m || left >= 0 && o.value(p, o.out[o.along[left]]) >= o.value(p, o.out[o.along[right]]) {
				at = left
				left--
			} else {
				right++
			}
			if y := o.along[at]; !yield(y, o.value(p, o.out[y])) {
				return
			}
		}
	}
}

// Rank implements mechanism.Nearby: of what is worth the same, the higher letter ranks
// higher. From the place of x on, to either side, values fall: to the ends of a line, or
// half around a circle.
func (o *line) Rank(x, y int) int {
	p, m, own := o.in[x], len(o.along), o.Value(x, y)
	right := sort.Search(m, func(i int) bool { return o.out[o.along[i]] >= p })
	ahead := m - right // how many lie to the right
	if o.around > 0 {
		ahead = sort.Search(m, func(i int) bool {
			q := o.out[o.along[(right+i)%m]]
			if q < p {
				q += o.around
			}
			return q-p > o.around/2
		})
	}
	better := 0
	side := func(n int, at func(i int) uint16) {
		i := sort.Search(n, func(i int) bool { return o.value(p, o.out[at(i)]) <= own })
		for better += i; i < n && o.value(p, o.out[at(i)]) == own; i++ {
			if int(at(i)) > y {
				better++
			}
		}
	}
	side(ahead, func(i int) uint16 { return o.along[(right+i)%m] })
	side(m-ahead, func(i int) uint16 { return o.along[(right-1-i+2*m)%m] })
	return m - better
}

// Best implements mechanism.Nearby.
func (o *line) Best(x, k int) []uint16 {
	if k = min(k, o.Outputs()); k <= 0 {
		return nil
	}
	best, last := make([]uint16, 0, k+2), 0.0
	for y, v := range o.outward(x) {
		if len(best) >= k && v < last {
			break
		}
		best, last = append(best, y), v
	}
	for from := 0; from < len(best); { // what is worth the same stands together
		to, worth := from, o.Value(x, int(best[from]))
		for to < len(best) && o.Value(x, int(best[to])) == worth {
			to++
		}
		slices.SortFunc(best[from:to], func(y, z uint16) int { return cmp.Compare(z, y) })
		from = to
	}
	return best[:k]
}

// Worst implements mechanism.Nearby.
func (o *line) Worst(x int, of []uint16) int {
	worst, low := int(of[0]), o.Value(x, int(of[0]))
	for _, y := range of[1:] {
		if v := o.Value(x, int(y)); v < low || v == low && int(y) < worst {
			worst, low = int(y), v
		}
	}
	return worst
}

// Within implements mechanism.Nearby.
func (o *line) Within(x int, floor float64) (allowed []uint16) {
	for y, v := range o.outward(x) {
		if v < floor {
			break
		}
		allowed = append(allowed, y)
	}
	slices.Sort(allowed)
	return allowed
}
