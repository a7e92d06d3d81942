package audit

import "slices"

// denseCells is the size up to which a Table is an array.
const denseCells = 4 << 20

// pendingCells is how many records a sparse table sorts at once.
const pendingCells = 2 << 20

// A Table counts records by stratum and letter.
type Table struct {
	letters int
	dense   []int64   // by stratum and letter, where they are few; else
	sorted  []counted // by key,
	pending []uint64  // and keys not yet among them
}

// counted is a pair of stratum and letter, stratum<<16 | letter.
type counted struct {
	key uint64
	n   int64
}

// NewTable is for strata 0..strata-1 and letters 0..letters-1.
func NewTable(strata, letters int) *Table {
	t := &Table{letters: letters}
	if strata <= denseCells/max(1, letters) {
		t.dense = make([]int64, strata*letters)
	}
	return t
}

// Add counts records: stratum[i] and letter[i] are those of one. A record
// without a letter (a negative one) is left out.
func (t *Table) Add(stratum, letter []int32) {
	for i, x := range letter {
		switch {
		case x < 0:
		case t.dense != nil:
			t.dense[int(stratum[i])*t.letters+int(x)]++
		default:
			t.pending = append(t.pending, uint64(uint32(stratum[i]))<<16|uint64(x))
		}
	}
	if len(t.pending) >= pendingCells {
		t.fold()
	}
}

// Merge adds what u counted, which must be a table of the same strata and
// letters.
func (t *Table) Merge(u *Table) {
	for i, n := range u.dense {
		t.dense[i] += n
	}
	t.fold()
	u.fold()
	t.sorted = merged(t.sorted, u.sorted)
}

// Cells counts the pairs of stratum and letter that occur.
func (t *Table) Cells() int { return len(t.cells()) }

// cells are the pairs that occur, by stratum and letter.
func (t *Table) cells() []counted {
	t.fold()
	if t.dense == nil {
		return t.sorted
	}
	var all []counted
	for i, n := range t.dense {
		if n > 0 {
			all = append(all, counted{uint64(i/t.letters)<<16 | uint64(i%t.letters), n})
		}
	}
	return all
}

// fold counts what is pending.
func (t *Table) fold() {
	slices.Sort(t.pending)
	var all []counted
	for _, k := range t.pending {
		if len(all) == 0 || all[len(all)-1].key != k {
			all = append(all, counted{key: k})
		}
		all[len(all)-1].n++
	}
	t.sorted, t.pending = merged(t.sorted, all), t.pending[:0]
}

// merged adds two sorted lists.
func merged(a, b []counted) []counted {
	if len(a) == 0 {
		return b
	}
	all := make([]counted, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].key < b[0].key:
			all, a = append(all, a[0]), a[1:]
		case a[0].key > b[0].key:
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, counted{a[0].key, a[0].n + b[0].n}), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// A stratum holds the letters that occur in it, in letter order.
type stratum struct {
	code   int32
	letter []int32
	count  []int64
	total  int64
}

// strata are the cells by stratum; they do not depend on the order in which
// records came.
func (t *Table) strata() []stratum {
	var all []stratum
	for _, c := range t.cells() {
		k, n := c.key, c.n
		code := int32(k >> 16)
		if len(all) == 0 || all[len(all)-1].code != code {
			all = append(all, stratum{code: code})
		}
		s := &all[len(all)-1]
		s.letter, s.count, s.total = append(s.letter, int32(k&0xffff)), append(s.count, n), s.total+n
	}
	return all
}

// small reports whether s has too few records for its letters.
func (s *stratum) small() bool {
	once := 0
	for _, n := range s.count {
		if n == 1 {
			once++
		}
	}
	return s.total < Small || float64(once) > Unseen*float64(s.total)
}
