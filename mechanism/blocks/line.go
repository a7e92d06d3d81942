package blocks

import (
	"math"
	"slices"
	"sort"

	"github.com/tacet-privacy/tacet/mechanism"
)

const (
	looks  = 20_000_000 // the most intervals that are compared for the mean
	starts = 64         // of a circle that are tried, at most
)

// line parts letters along a line into intervals. A letter that is null is a block of its
// own, or joins the rarest.
func (s *search) line(o mechanism.Line, null bool) [][]int {
	in, _, around, _ := o.Places()
	apart := -1 // null, which has no place
	if last := s.Order.Inputs() - 1; null && s.item[len(s.item)-1] == last {
		apart, s.item = last, s.item[:len(s.item)-1]
		if len(s.item) == 0 {
			return [][]int{{apart}}
		}
	}
	item := slices.Clone(s.item)
	slices.SortStableFunc(item, func(a, b int) int {
		switch {
		case in[a] < in[b]:
			return -1
		case in[a] > in[b]:
			return 1
		}
		return a - b
	})
	w := &walk{search: s, order: o, around: around, place: make([]float64, len(item))}
	var best [][]int
	if around == 0 {
		w.turn(item, in, 0)
		best, _ = w.best()
	} else {
		step := max(1, (len(item)+starts-1)/starts)
		least := result{bad: math.Inf(1)}
		for from := 0; from < len(item); from += step {
			w.turn(item, in, from)
			if parts, r := w.best(); parts != nil && (best == nil || r.less(least)) {
				best, least = parts, r
			}
		}
	}
	if apart < 0 || best == nil {
		return best
	}
	if s.enough(s.mass(apart)) {
		return append(best, []int{apart})
	}
	rarest, fewest := 0, int64(math.MaxInt64)
	for b, part := range best {
		held := int64(0)
		for _, x := range part {
			held += s.prior[0].Count(x)
		}
		if held < fewest {
			rarest, fewest = b, held
		}
	}
	best[rarest] = append(best[rarest], apart)
	return best
}

// A result is what intervals come to: the worst replacement, and a sum that falls with
// the mean.
type result struct{ bad, sum float64 }

func (r result) less(than result) bool {
	return r.bad < than.bad || r.bad == than.bad && r.sum < than.sum
}

// A walk is a line of items, or a circle cut open, with sums from its beginning on.
type walk struct {
	*search
	order  mechanism.Line
	around uint64
	at     []int     // the letters in order
	place  []float64 // of each, from the first
	mass   [][]int64 // by prior, before each
	// Sums of records, of records by place, and of pairs by distance, before each.
	count, moment, pair []float64
	last                []int // for every end, the last beginning of a block with enough records; -1 for none
}

// turn begins the walk at an item.
func (w *walk) turn(item []int, in []uint64, from int) {
	w.at = append(append(w.at[:0], item[from:]...), item[:from]...)
	for i, x := range w.at {
		if w.place[i] = float64(in[x] - in[w.at[0]]); in[x] < in[w.at[0]] {
			w.place[i] = float64(w.around - (in[w.at[0]] - in[x]))
		}
	}
	n := len(w.at)
	w.mass = make([][]int64, len(w.prior))
	for k, p := range w.prior {
		w.mass[k] = make([]int64, n+1)
		for i, x := range w.at {
			w.mass[k][i+1] = w.mass[k][i] + p.Count(x)
		}
	}
	w.count, w.moment, w.pair = make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	for i, x := range w.at {
		c := float64(w.Prior.Count(x))
		w.count[i+1], w.moment[i+1] = w.count[i]+c, w.moment[i]+c*w.place[i]
		w.pair[i+1] = w.pair[i] + c*(w.place[i]*w.count[i]-w.moment[i])
	}
	w.last = make([]int, n+1)
	for j, i := 0, -1; j <= n; j++ {
		for i+1 < j && w.holds(i+1, j) {
			i++
		}
		w.last[j] = i
	}
}

// holds reports whether items i to j-1 have the records of a block.
func (w *walk) holds(i, j int) bool {
	for k, m := range w.mass {
		if m[j]-m[i] < w.need[k] {
			return false
		}
	}
	return true
}

// cost is the sum over the pairs of a block of their records and distance, by its records.
func (w *walk) cost(i, j int) float64 {
	held := w.count[j] - w.count[i]
	if held <= 0 {
		return 0
	}
	return (w.pair[j]-w.pair[i]-w.count[i]*(w.moment[j]-w.moment[i]))/held + w.moment[i]
}

// best are the intervals of least worst replacement, and of those of about the least mean.
func (w *walk) best() ([][]int, result) {
	bad, m := 0.0, w.order.Outputs()
	switch f := w.Floor; {
	case f != nil && f.ByValue:
		bad = -f.Value
	case f != nil:
		bad = float64(m - f.Rank)
	case !w.ByValue:
		bad = float64(sort.Search(m-1, func(b int) bool { return w.reached(w.first(float64(b))) }))
	case !w.reached(w.first(0)):
		bad = w.widest()
		for lo, hi := 0.0, bad; ; {
			mid := (lo + hi) / 2
			if !(lo < mid && mid < hi) || hi-lo < 1e-12*bad {
				bad = hi
				break
			}
			if w.reached(w.first(mid)) {
				hi = mid
			} else {
				lo = mid
			}
		}
	}
	cut := w.cuts(w.first(bad))
	if cut == nil {
		return nil, result{}
	}
	var parts [][]int
	r := result{bad: bad}
	for b := 1; b < len(cut); b++ {
		parts = append(parts, slices.Clone(w.at[cut[b-1]:cut[b]]))
		r.sum += w.cost(cut[b-1], cut[b])
	}
	return parts, r
}

// widest is at least the distance of any two.
func (w *walk) widest() float64 {
	_, _, around, scale := w.order.Places()
	if around > 0 {
		return float64(around) / scale
	}
	return w.place[len(w.at)-1] / scale * (1 + 1e-9)
}

// first is, for every end j, the first i at which no two of items i to j-1 are worse for
// each other than bad.
func (w *walk) first(bad float64) []int {
	n := len(w.at)
	left, right := w.reach(bad)
	first := make([]int, n+1)
	i := 0
	for j := 1; j <= n; j++ {
		for i < j-1 && (left[j-1] > i || right[i] < j-1) {
			i++
		}
		first[j] = i
	}
	return first
}

// reach is how far from each item others may stand for it.
func (w *walk) reach(bad float64) (left, right []int) {
	n, m := len(w.at), w.order.Outputs()
	left, right = make([]int, n), make([]int, n)
	if !w.ByValue && w.around == 0 {
		return w.nearest(int(bad)+1, left, right)
	}
	ok := func(i, j int) bool {
		x, y := w.at[i], w.output[w.at[j]]
		if w.ByValue {
			return w.order.Value(x, y) >= -bad
		}
		return float64(m-w.order.Rank(x, y)) <= bad
	}
	for i, r := 0, 0; i < n; i++ {
		for r = max(r, i); r+1 < n && ok(i, r+1); r++ {
		}
		right[i] = r
	}
	for i, l := n-1, n-1; i >= 0; i-- {
		for l = min(l, i); l > 0 && ok(i, l-1); l-- {
		}
		left[i] = l
	}
	return left, right
}

// nearest is reach where each item may become any of the k best outputs: these stand side
// by side on a line.
func (w *walk) nearest(k int, left, right []int) ([]int, []int) {
	_, out, _, _ := w.order.Places()
	along := w.order.Along()
	before := func(y, z uint16) bool { return out[y] < out[z] || out[y] == out[z] && y < z }
	lo := 0
	for i, l, r := 0, 0, 0; i < len(w.at); i++ {
		x := w.at[i]
		for ; lo+k < len(along); lo++ {
			a, b := w.order.Value(x, int(along[lo])), w.order.Value(x, int(along[lo+k]))
			if a > b || a == b && along[lo] > along[lo+k] {
				break
			}
		}
		low, high := along[lo], along[min(lo+k, len(along))-1]
		for ; before(uint16(w.output[w.at[l]]), low) && l < i; l++ {
		}
		for r = max(r, i); r+1 < len(w.at) && !before(high, uint16(w.output[w.at[r+1]])); r++ {
		}
		left[i], right[i] = l, r
	}
	return left, right
}

// reached reports whether blocks end where the items do.
func (w *walk) reached(first []int) bool {
	ends := make([]int, len(first)+1) // how many of the ends before each are reached
	ends[1] = 1
	for j := 1; j < len(first); j++ {
		ends[j+1] = ends[j]
		if i := w.last[j]; i >= first[j] && ends[i+1] > ends[first[j]] {
			ends[j+1]++
		}
	}
	return ends[len(first)] > ends[len(first)-1]
}

// cuts are where blocks end, from 0 on; nil where there are none. Of the beginnings of a
// block all are compared where they are few, else as many as time allows, and then every
// cut is moved between its neighbours while the sum falls.
func (w *walk) cuts(first []int) []int {
	n := len(w.at)
	most := max(16, looks/(n+1))
	sum, from := slices.Repeat([]float64{math.Inf(1)}, n+1), make([]int, n+1)
	sum[0] = 0
	ends := []int{0}
	for j := 1; j <= n; j++ {
		a, _ := slices.BinarySearch(ends, first[j])
		b, _ := slices.BinarySearch(ends, w.last[j]+1)
		step := max(1, (b-a+most-1)/most)
		for k := b - 1; k >= a; k -= step {
			i := ends[k]
			if c := sum[i] + w.cost(i, j); c < sum[j] {
				sum[j], from[j] = c, i
			}
		}
		if !math.IsInf(sum[j], 1) {
			ends = append(ends, j)
		}
	}
	if math.IsInf(sum[n], 1) {
		return nil
	}
	cut := []int{n}
	for j := n; j > 0; j = from[j] {
		cut = append(cut, from[j])
	}
	slices.Reverse(cut)
	for moved, round := true, 0; moved && round < 100; round++ {
		moved = false
		for b := 1; b+1 < len(cut); b++ {
			before, after := cut[b-1], cut[b+1]
			at, least := cut[b], w.cost(before, cut[b])+w.cost(cut[b], after)
			for i := max(before+1, first[after]); i <= w.last[after]; i++ {
				if first[i] > before || w.last[i] < before {
					continue
				}
				if c := w.cost(before, i) + w.cost(i, after); c < least*(1-1e-12) {
					at, least = i, c
				}
			}
			moved = moved || at != cut[b]
			cut[b] = at
		}
	}
	return cut
}
