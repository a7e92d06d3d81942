package draw

import "github.com/tacet-privacy/tacet/mechanism"

// A Table draws from the rows of a mechanism. It is immutable and may be
// shared by all goroutines. If every row has equal weights a draw chooses among
// the row's outputs as the mechanism has them, else among alias tables of eight
// bytes a cell. Letters that share a row share its table.
type Table struct {
	law   *mechanism.Mechanism
	even  [][]uint16 // outputs by letter; nil where weights are unequal
	alias [][]cell   // nil where weights are equal
}

// mayRefuse is refuses without a division, and true more often: 2^16 mod size is
// below size. The product of a word and a size has which place it is in its upper
// 16 bits and what decides on refusal in its lower 16.
func mayRefuse(product uint64, size int) bool { return product&0xffff < uint64(size) }

func refuses(product uint64, size int) bool {
	return mayRefuse(product, size) && int(product&0xffff) < 1<<16%size
}

// NewTable prepares m, which must be valid.
func NewTable(m *mechanism.Mechanism) *Table {
	t, even := &Table{law: m}, true
	for _, b := range m.Blocks() {
		even = even && equal(b.Row.Weight)
	}
	if even {
		t.even = make([][]uint16, m.Inputs())
	} else {
		t.alias = make([][]cell, m.Inputs())
	}
	for _, b := range m.Blocks() {
		var cells []cell
		if !even {
			cells = cellsOf(b.Row)
		}
		for _, x := range b.Letters {
			if even {
				t.even[x] = b.Row.Output
			} else {
				t.alias[x] = cells
			}
		}
	}
	return t
}

func cellsOf(r mechanism.Row) []cell {
	cells := make([]cell, 0, len(r.Output))
	for _, s := range alias(r) {
		p, _ := places(s.part, r.Total)
		cells = append(cells, pack(p, r.Output[s.above], r.Output[s.below]))
	}
	return cells
}

// Draw replaces every letter by an output letter drawn from its row. A letter
// below 0, a null outside the alphabet, is left alone and takes no word. A
// letter of N or more is a caller's bug and panics.
func (t *Table) Draw(s *Source, letters []int32) {
	for len(letters) > 0 {
		done := 0
		if t.alias == nil {
			done = drawEven(t.even, s, letters)
		} else {
			done = drawAlias(t.alias, s, letters)
		}
		letters = letters[done:]
		rest := letters[:min(len(letters), 4)]
		for i, x := range rest {
			rest[i] = t.one(s, x)
		}
		letters = letters[len(rest):]
	}
}

// one draws for one letter, word by word: the rule that the loops of each kind
// follow several letters at a time as long as nothing special occurs.
func (t *Table) one(s *Source, x int32) int32 {
	if x < 0 {
		return x
	}
	if t.alias == nil {
		return int32(t.even[x][s.place(len(t.even[x]))])
	}
	j := s.place(len(t.alias[x]))
	c := t.alias[x][j]
	above, below := outputs(c)
	switch w, digit := s.Word(), uint16(c>>48); {
	case w < digit:
		return int32(below)
	case w > digit:
		return int32(above)
	}
	return int32(settle(s, t.law.Row(int(x)), j, c))
}

// place is a uniform number of 0..size-1.
func (s *Source) place(size int) int {
	p := uint64(s.Word()) * uint64(size)
	for refuses(p, size) {
		p = uint64(s.Word()) * uint64(size)
	}
	return int(p >> 16)
}

// equal reports whether all weights are the same, as nil weights are.
func equal(weight []int64) bool {
	for _, w := range weight {
		if w != weight[0] {
			return false
		}
	}
	return true
}
