package draw

import "github.com/tacet-privacy/tacet/mechanism"

// A Table draws from the rows of a mechanism. It is immutable and may be
// shared by all goroutines. If every row has equal weights a cell takes two
// bytes, else eight.
type Table struct {
	law    *mechanism.Mechanism
	row    []row
	output []uint16 // rows of equal weights, one after the other
	cell   []cell   // alias tables of all rows; nil when output serves
}

// A row is where it starts, times 2^16 so that adding the product of word and
// size gives the place of the output; its size; and 2^16 mod its size.
type row struct {
	base   uint64
	size   uint32
	refuse uint32
}

// times is the place of the output in its upper part, in units of 2^16, and
// what decides on refusal in its lower 16 bits.
func (r *row) times(word uint32) uint64 { return r.base + uint64(word*r.size) }

func (r *row) refuses(q uint64) bool { return uint32(q)&0xffff < r.refuse }

// NewTable prepares m, which must be valid.
func NewTable(m *mechanism.Mechanism) *Table {
	t := &Table{law: m, row: make([]row, m.Inputs())}
	start, even := 0, true
	for x := range t.row {
		r := m.Row(x)
		k := len(r.Output)
		t.row[x] = row{uint64(start) << 16, uint32(k), uint32(1 << 16 % k)}
		start += k
		even = even && equal(r.Weight)
	}
	if even {
		t.output = make([]uint16, 0, start)
		for x := range t.row {
			t.output = append(t.output, m.Row(x).Output...)
		}
		return t
	}
	t.cell = make([]cell, 0, start)
	for x := range t.row {
		r := m.Row(x)
		for _, s := range alias(r) {
			p, _ := places(s.part, r.Total)
			t.cell = append(t.cell, pack(p, r.Output[s.above], r.Output[s.below]))
		}
	}
	return t
}

// Letters is N: Draw takes the letters 0..N-1.
func (t *Table) Letters() int { return len(t.row) }

// Draw replaces every letter by an output letter drawn from its row. A letter
// below 0, a null outside the alphabet, is left alone and takes no word. A
// letter of N or more is a caller's bug and panics.
func (t *Table) Draw(s *Source, letters []int32) {
	for len(letters) > 0 {
		done := 0
		if t.cell == nil {
			done = drawEven(t.row, t.output, s, letters)
		} else {
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

// one draws for one letter, word by word: the rule that drawEven and drawAlias
// follow several letters at a time as long as nothing special occurs.
func (t *Table) one(s *Source, x int32) int32 {
	if x < 0 {
		return x
	}
	r := &t.row[x]
	q := r.times(uint32(s.Word()))
	for r.refuses(q) {
		q = r.times(uint32(s.Word()))
	}
	if t.cell == nil {
		return int32(t.output[q>>16])
	}
	c := t.cell[q>>16]
	switch w, digit := s.Word(), uint16(c>>48); {
	case w < digit:
		return int32(uint16(c))
	case w > digit:
		return int32(uint16(c >> 16))
	}
	return int32(settle(s, t.law.Row(int(x)), int((q-r.base)>>16), c))
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
