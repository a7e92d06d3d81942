package blocks

import (
	"math"
	"slices"
)

const (
	rounds = 30  // of moves, at most
	swaps  = 512 // the most letters of which pairs change places
)

// A table is what items are to one another: how bad the worse of two replacements is, and
// what the pair adds to the mean.
type table struct {
	*search
	n    int
	bad  []float64 // +Inf where two items cannot be in one block
	pair []float64
	held [][]int64 // by item: its records by prior, and its outputs
	min  []int64   // of a block
}

// newTable reads the rows of the items.
func newTable(s *search) *table {
	n, m := len(s.item), s.Order.Outputs()
	t := &table{search: s, n: n, bad: make([]float64, n*n), pair: make([]float64, n*n),
		min: append(slices.Clone(s.need), 1)}
	rank, value := make([]uint16, m), make([]float64, m)
	allowed := func(y int) bool {
		return !math.IsInf(value[y], -1) && (s.Floor == nil || s.Floor.Allows(rank[y], value[y]))
	}
	for _, x := range s.item { // what may not stay itself has no output of its own
		s.Order.Row(x, rank, value)
		own := s.output[x]
		if own >= 0 && !allowed(own) {
			own = -1
		}
		s.output[x] = own
		outputs := int64(0)
		if own >= 0 {
			outputs = 1
		}
		t.held = append(t.held, append(s.mass(x), outputs))
	}
	for k := range t.bad {
		t.bad[k] = math.Inf(-1)
	}
	for i, x := range s.item {
		s.Order.Row(x, rank, value)
		for j, z := range s.item {
			y := s.output[z]
			if y < 0 {
				continue
			}
			a, b, bad := i*n+j, j*n+i, math.Inf(1)
			if allowed(y) {
				w := -float64(s.Prior.Count(x)) * float64(s.Prior.Count(z)) * value[y]
				if t.pair[a] += w; i != j {
					t.pair[b] += w
				}
				if bad = float64(m - int(rank[y])); s.ByValue {
					bad = -value[y]
				}
			}
			t.bad[a] = max(t.bad[a], bad)
			t.bad[b] = t.bad[a]
		}
	}
	return t
}

// A block is a set of items, with sums over them.
type block struct {
	items []int
	held  []int64
	sum   float64 // of all its pairs
}

func (t *table) short(held []int64) bool {
	for k, h := range held {
		if h < t.min[k] {
			return true
		}
	}
	return false
}

// mean is what a block adds to the sum that falls with the mean.
func (t *table) mean(sum float64, records int64) float64 {
	if records == 0 {
		return 0
	}
	return sum / float64(records)
}

// records are those by which a mean is taken.
func (b *block) records() int64 { return b.held[0] }

// merged joins blocks that lack records with those that are least bad for them, those that
// are next to one another first, or those first that are far from all others: what comes
// to the less, after items have moved between blocks.
func (s *search) merged(t *table) [][]int {
	var best *partition
	for _, remote := range []bool{false, true} {
		b := t.join(remote)
		if b == nil {
			continue
		}
		p := newPartition(t, b)
		p.improve()
		if best == nil || p.result().less(best.result()) {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	var parts [][]int
	for _, b := range best.block {
		var part []int
		for _, i := range b.items {
			part = append(part, s.item[i])
		}
		slices.Sort(part)
		parts = append(parts, part)
	}
	return parts
}

// join makes blocks by merging; nil where one stays short.
func (t *table) join(remote bool) []*block {
	n := t.n
	bad, pair := slices.Clone(t.bad), slices.Clone(t.pair)
	block := make([]*block, n)
	open := make([]int, 0, n)
	for i := range block {
		block[i] = newBlock(t, i)
		open = append(open, i)
	}
	type link struct {
		to        int
		bad, more float64
	}
	near := make([]link, n)
	find := func(a int) {
		near[a] = link{-1, math.Inf(1), math.Inf(1)}
		for _, b := range open {
			if b == a || math.IsInf(bad[a*n+b], 1) {
				continue
			}
			x, y := block[a], block[b]
			more := t.mean(x.sum+y.sum+2*pair[a*n+b], x.records()+y.records()) - t.mean(y.sum, y.records())
			if k := bad[a*n+b]; k < near[a].bad || k == near[a].bad && more < near[a].more || near[a].to < 0 {
				near[a] = link{b, k, more}
			}
		}
	}
	for a := range block {
		if t.short(block[a].held) {
			find(a)
		}
	}
	for {
		at := -1
		for _, a := range open {
			if !t.short(block[a].held) {
				continue
			}
			if near[a].to < 0 {
				return nil
			}
			if at < 0 || (near[a].bad < near[at].bad) != remote && near[a].bad != near[at].bad ||
				near[a].bad == near[at].bad && near[a].more < near[at].more {
				at = a
			}
		}
		if at < 0 {
			break
		}
		a, b := at, near[at].to
		x, y := block[a], block[b]
		x.sum += y.sum + 2*pair[a*n+b]
		x.items = append(x.items, y.items...)
		for k := range x.held {
			x.held[k] += y.held[k]
		}
		open = slices.DeleteFunc(open, func(c int) bool { return c == b })
		for _, c := range open {
			if c != a {
				bad[a*n+c] = max(bad[a*n+c], bad[b*n+c])
				pair[a*n+c] += pair[b*n+c]
				bad[c*n+a], pair[c*n+a] = bad[a*n+c], pair[a*n+c]
			}
		}
		for _, c := range open {
			if t.short(block[c].held) && (c == a || near[c].to == a || near[c].to == b) {
				find(c)
			}
		}
	}
	out := block[:0]
	for _, a := range open {
		out = append(out, block[a])
	}
	return out
}

func newBlock(t *table, i int) *block {
	return &block{items: []int{i}, held: slices.Clone(t.held[i]), sum: t.pair[i*t.n+i]}
}
