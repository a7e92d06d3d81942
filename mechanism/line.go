package mechanism

import (
	"cmp"
	"slices"
	"sort"
)

// exactPlaces is the distance up to which a float64 tells places apart.
const exactPlaces = 1 << 53

// A lineRow is one row of a mechanism along a line: its outputs by place, with sums of
// weights and of weights by place before each.
type lineRow struct {
	Line
	row            Row
	in, out        []uint64
	scale          float64
	by             []uint16
	weight, moment []float64
}

// lineOf is a line whose rows are summed; nil for other orders, and circles.
func lineOf(o Order) *lineRow {
	l, ok := o.(Line)
	if !ok {
		return nil
	}
	r := &lineRow{Line: l}
	around := uint64(0)
	if r.in, r.out, around, r.scale = l.Places(); around > 0 || len(r.in) == 0 || len(r.out) == 0 {
		return nil
	}
	low := min(slices.Min(r.in), slices.Min(r.out))
	if max(slices.Max(r.in), slices.Max(r.out))-low >= exactPlaces {
		return nil
	}
	return r
}

// take holds another row.
func (r *lineRow) take(row Row) {
	n := len(row.Output)
	r.row, r.by = row, append(r.by[:0], row.Output...)
	slices.SortFunc(r.by, func(y, z uint16) int { return cmp.Or(cmp.Compare(r.out[y], r.out[z]), cmp.Compare(y, z)) })
	r.weight, r.moment = make([]float64, n+1), make([]float64, n+1)
	for i, y := range r.by {
		at, _ := slices.BinarySearch(row.Output, y)
		w := float64(row.At(at))
		r.weight[i+1] = r.weight[i] + w
		r.moment[i+1] = r.moment[i] + w*float64(r.out[y]-r.out[r.by[0]])
	}
}

// mean is the mean value in the row of letter x.
func (r *lineRow) mean(x int) float64 {
	p, n := r.in[x], len(r.by)
	i := sort.Search(n, func(i int) bool { return r.out[r.by[i]] >= p })
	at := float64(int64(p - r.out[r.by[0]])) // below 0 where x lies before all outputs
	sum := at*(2*r.weight[i]-r.weight[n]) - 2*r.moment[i] + r.moment[n]
	return 0 - sum/float64(r.row.Total)/r.scale
}

// worst is of the output that ranks lowest for letter x: the first or the last.
func (r *lineRow) worst(x int) (rank int, value float64) {
	first, end := int(r.by[0]), r.out[r.by[len(r.by)-1]]
	last := int(r.by[sort.Search(len(r.by), func(i int) bool { return r.out[r.by[i]] >= end })])
	a, b := r.Value(x, first), r.Value(x, last)
	if a < b || a == b && first < last {
		return r.Rank(x, first), a
	}
	return r.Rank(x, last), b
}
