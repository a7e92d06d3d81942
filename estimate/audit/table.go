package audit

import "slices"

// denseCells is the size up to which a Table is an array.
const denseCells = 4 << 20

// pendingCells is how many records a sparse table sorts at once.
const pendingCells = 2 << 20

// A Table counts records by stratum, letter, and the mechanism that redraws
// them.
type Table struct {
	laws    int
	wide    int       // letters times laws
	dense   []int64   // by stratum, letter and law, where they are few; else
	sorted  []counted // by key,
	pending []uint64  // and keys not yet among them
}

// counted is a cell, stratum<<32 | letter*laws + law.
type counted struct {
	key uint64
	n   int64
}

// NewTable is for strata 0..strata-1, letters 0..letters-1, and records that
// are redrawn by mechanisms 0..laws-1.
func NewTable(strata, letters, laws int) *Table {
	t := &Table{laws: laws, wide: letters * laws}
	if strata <= denseCells/max(1, t.wide) {
		t.dense = make([]int64, strata*t.wide)
	}
	return t
}

// Add counts records: stratum[i], letter[i] and law[i] are those of one; no law
// at all stands for the first everywhere. A record without a letter (a negative
// one) is left out.
func (t *Table) Add(stratum, letter, law []int32) {
	for i, x := range letter {
		if x < 0 {
			continue
		}
		cell := int(x) * t.laws
		if law != nil {
			cell += int(law[i])
		}
		if t.dense != nil {
			t.dense[int(stratum[i])*t.wide+cell]++
			continue
		}
		t.pending = append(t.pending, uint64(uint32(stratum[i]))<<32|uint64(cell))
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

// Cells counts the cells that occur.
func (t *Table) Cells() int { return len(t.cells()) }

// cells are those that occur, in order.
func (t *Table) cells() []counted {
	t.fold()
	if t.dense == nil {
		return t.sorted
	}
	var all []counted
	for i, n := range t.dense {
		if n > 0 {
			all = append(all, counted{uint64(i/t.wide)<<32 | uint64(i%t.wide), n})
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
	// Where there are several laws: letter i has records part[from[i]] to
	// part[from[i+1]-1] of mechanisms law.
	from []int
	law  []int32
	part []int64
}

// strata are the cells by stratum; they do not depend on the order in which
// records came.
func (t *Table) strata() []stratum {
	var all []stratum
	for _, c := range t.cells() {
		code, x := int32(c.key>>32), int32(uint32(c.key)/uint32(t.laws))
		if len(all) == 0 || all[len(all)-1].code != code {
			all = append(all, stratum{code: code})
		}
		s := &all[len(all)-1]
		s.total += c.n
		if k := len(s.letter); k > 0 && s.letter[k-1] == x {
			s.count[k-1] += c.n
		} else {
			s.letter, s.count = append(s.letter, x), append(s.count, c.n)
			if t.laws > 1 {
				s.from = append(s.from, len(s.law))
			}
		}
		if t.laws > 1 {
			s.law, s.part = append(s.law, int32(uint32(c.key)%uint32(t.laws))), append(s.part, c.n)
		}
	}
	return all
}

// laws are the mechanisms of letter i, and how many records each redraws.
func (s *stratum) laws(i int) (law []int32, part []int64) {
	to := len(s.law)
	if i+1 < len(s.from) {
		to = s.from[i+1]
	}
	return s.law[s.from[i]:to], s.part[s.from[i]:to]
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
