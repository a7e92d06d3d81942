package draw

import "github.com/tacet-privacy/tacet/mechanism"

// A Table draws from the rows of a mechanism. It is immutable and may be
// shared by all goroutines. If every row has equal weights a cell takes two
// bytes, or none where rows are arcs, else eight.
type Table struct {
	law    *mechanism.Mechanism
	row    []row
	arcs   bool     // rows of equal weights are computed
	output []uint16 // else listed, one after the other
	cell   []cell   // alias tables of all rows; nil where weights are equal
}

// listed is how many outputs are listed, at most, where they could be
// computed: as many as stay in the nearest caches, which is as fast.
const listed = 1 << 15

// A row is where its outputs start and their number. The product of a word
// and the number has which output it is in its upper 16 bits and what decides
// on refusal in its lower 16.
type row struct{ base, size uint32 }

// place is where the output of a product stands.
func (r *row) place(product uint64) uint64 { return uint64(r.base) + product>>16 }

// mayRefuse is refuses without a division, and true more often: 2^16 mod size
// is below size.
func (r *row) mayRefuse(product uint64) bool { return product&0xffff < uint64(r.size) }

func (r *row) refuses(product uint64) bool {
	return r.mayRefuse(product) && uint32(product)&0xffff < 1<<16%r.size
}

// NewTable prepares m, which must be valid.
func NewTable(m *mechanism.Mechanism) *Table { return newTable(m, listed) }

func newTable(m *mechanism.Mechanism, listed int) *Table {
	t := &Table{law: m, row: make([]row, m.Inputs())}
	arc := make([]row, m.Inputs())
	start, even, arcs := 0, true, true
	for _, b := range m.Blocks() {
		k := len(b.Row.Output)
		base, ok := arcOf(b.Row.Output)
		for _, x := range b.Letters {
			t.row[x], arc[x] = row{uint32(start), uint32(k)}, row{base, uint32(k)}
		}
		start += k
		even, arcs = even && equal(b.Row.Weight), arcs && ok
	}
	if even && arcs && start > listed {
		t.row, t.arcs = arc, true
		return t
	}
	if even {
		t.output = make([]uint16, 0, start)
		for _, b := range m.Blocks() {
			t.output = append(t.output, b.Row.Output...)
		}
		return t
	}
	t.cell = make([]cell, 0, start)
	for _, b := range m.Blocks() {
		r := b.Row
		for _, s := range alias(r) {
			p, _ := places(s.part, r.Total)
			t.cell = append(t.cell, pack(p, r.Output[s.above], r.Output[s.below]))
		}
	}
	return t
}

// Draw replaces every letter by an output letter drawn from its row. A letter
// below 0, a null outside the alphabet, is left alone and takes no word. A
// letter of N or more is a caller's bug and panics.
func (t *Table) Draw(s *Source, letters []int32) {
	for len(letters) > 0 {
		done := 0
		switch {
		case t.arcs:
			done = drawArcs(t.row, s, letters)
		case t.cell == nil:
			done = drawEven(t.row, t.output, s, letters)
		default:
			done = drawAlias(t.row, t.cell, s, letters)
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
	r := &t.row[x]
	p := uint64(s.Word()) * uint64(r.size)
	for r.refuses(p) {
		p = uint64(s.Word()) * uint64(r.size)
	}
	switch {
	case t.arcs:
		return r.arc(p)
	case t.cell == nil:
		return int32(t.output[r.place(p)])
	}
	c := t.cell[r.place(p)]
	above, below := outputs(c)
	switch w, digit := s.Word(), uint16(c>>48); {
	case w < digit:
		return int32(below)
	case w > digit:
		return int32(above)
	}
	return int32(settle(s, t.law.Row(int(x)), int(p>>16), c))
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
