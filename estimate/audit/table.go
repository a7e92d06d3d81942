package audit

import (
	"cmp"
	"slices"
)

// A Table counts records by stratum and letter. The zero value is empty.
type Table struct {
	cell map[uint64]int64 // stratum<<16 | letter
	last uint64           // key counted last
	run  int64            // how often, not yet in cell
}

// Add counts records: stratum[i] and letter[i] are those of one. A record
// without a letter (a negative one) is left out.
func (t *Table) Add(stratum, letter []int32) {
	if t.cell == nil {
		t.cell = make(map[uint64]int64)
	}
	for i, x := range letter {
		if x < 0 {
			continue
		}
		key := uint64(uint32(stratum[i]))<<16 | uint64(x)
		if key != t.last {
			t.flush()
			t.last = key
		}
		t.run++
	}
}

// Merge adds what u counted, which must be of the same codes.
func (t *Table) Merge(u *Table) {
	t.flush()
	u.flush()
	if t.cell == nil {
		t.cell = make(map[uint64]int64)
	}
	for k, n := range u.cell {
		t.cell[k] += n
	}
}

// Cells counts the pairs of stratum and letter that occur.
func (t *Table) Cells() int {
	t.flush()
	return len(t.cell)
}

func (t *Table) flush() {
	if t.run > 0 {
		t.cell[t.last] += t.run
		t.run = 0
	}
}

// A stratum holds the letters that occur in it, in letter order.
type stratum struct {
	code   int32
	letter []int32
	count  []int64
	total  int64
}

// strata sorts the cells, so that figures do not depend on the order in which
// records came.
func (t *Table) strata() []stratum {
	t.flush()
	key := make([]uint64, 0, len(t.cell))
	for k := range t.cell {
		key = append(key, k)
	}
	slices.SortFunc(key, cmp.Compare[uint64])
	var all []stratum
	for _, k := range key {
		code, n := int32(k>>16), t.cell[k]
		if len(all) == 0 || all[len(all)-1].code != code {
			all = append(all, stratum{code: code})
		}
		s := &all[len(all)-1]
		s.letter, s.count, s.total = append(s.letter, int32(k&0xffff)), append(s.count, n), s.total+n
	}
	return all
}
