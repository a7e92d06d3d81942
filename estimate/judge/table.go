package judge

import (
	"github.com/tacet-privacy/tacet/estimate"
)

// denseCells is the size up to which a Table is an array.
const denseCells = 1 << 20

// pendingCells is how many records a sparse table sorts at once.
const pendingCells = 2 << 20

// A Table counts records by stratum, letter, and the mechanism that redraws
// them. A cell's key is (stratum*letters + letter)*laws + law.
type Table struct {
	laws    int
	wide    int      // letters times laws
	array   []int64  // room for dense
	dense   []int64  // by key, where they are few; else
	sorted  []keyed  // by key,
	pending []uint64 // and keys not yet among them
	spare   []uint64 // room to sort these

	judged cells // of the strata that are judged,
	fresh  bool  // and whether these are of all records
}

// A keyed cell has this many records.
type keyed struct {
	key uint64
	n   int64
}

// NewTable is for strata 0..strata-1, letters 0..letters-1, and records that
// are redrawn by mechanisms 0..laws-1.
func NewTable(strata, letters, laws int) *Table {
	t := &Table{laws: laws, wide: letters * laws}
	t.Reset(strata)
	return t
}

// Reset empties t and gives it other strata.
func (t *Table) Reset(strata int) {
	t.dense, t.sorted, t.pending, t.fresh = nil, t.sorted[:0], t.pending[:0], false
	if strata > denseCells/max(1, t.wide) {
		return
	}
	size := strata * t.wide
	if len(t.array) < size {
		t.array = make([]int64, size)
	}
	t.dense = t.array[:size]
	clear(t.dense)
}

// AddPairs counts records: letter[i] and law[i] are those of one, and no law at all
// stands for the first everywhere; its stratum is high[i]*width + low[i], or high[i]
// alone where low is nil. A record without a letter (a negative one) is left out.
func (t *Table) AddPairs(high, low []int32, width int, letter, law []int32) {
	t.fresh = false
	laws, wide := uint64(t.laws), uint64(t.wide)
	for i, x := range letter {
		if x < 0 {
			continue
		}
		key := uint64(high[i])
		if low != nil {
			key = key*uint64(width) + uint64(low[i])
		}
		key = key*wide + uint64(x)*laws
		if law != nil {
			key += uint64(law[i])
		}
		if t.dense != nil {
			t.dense[key]++
			continue
		}
		if len(t.pending) == pendingCells {
			t.fold()
		}
		t.pending = append(t.pending, key)
	}
}

// walk goes through the cells that occur, in order.
func (t *Table) walk(f func(key uint64, n int64)) {
	t.fold()
	for key, n := range t.dense {
		if n > 0 {
			f(uint64(key), n)
		}
	}
	for _, c := range t.sorted {
		f(c.key, c.n)
	}
}

// fold counts what is pending.
func (t *Table) fold() {
	if len(t.pending) == 0 {
		return
	}
	if len(t.spare) < len(t.pending) {
		t.spare = make([]uint64, cap(t.pending))
	}
	keys := estimate.SortKeys(t.pending, t.spare, 0)
	cells := 0
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			cells++
		}
	}
	all := t.sorted
	if cap(all) < cells || len(all) > 0 {
		all = make([]keyed, 0, cells)
	}
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			all = append(all, keyed{key: k})
		}
		all[len(all)-1].n++
	}
	t.sorted, t.pending = merged(t.sorted, all), t.pending[:0]
}

// merged adds two sorted lists.
func merged(a, b []keyed) []keyed {
	if len(a) == 0 {
		return b
	}
	all := make([]keyed, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].key < b[0].key:
			all, a = append(all, a[0]), a[1:]
		case a[0].key > b[0].key:
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, keyed{a[0].key, a[0].n + b[0].n}), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}
