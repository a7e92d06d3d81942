package neighbours

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
)

// A column holds the cells of a sample.
type column struct {
	typ   table.CellType
	key   []uint64 // by cell
	null  []bool   // by cell
	text  []text   // of some cells,
	arena []byte   // and their bytes
	kin   []kin    // rows of values that come with all their rows
}

// A text is the cell of a key: arena[from:to].
type text struct {
	key      uint64
	from, to int32
}

// A kin is a row of a value that comes with all its rows.
type kin struct {
	key uint64
	row int32
}

// A reader takes the cells of a view, one unit after the other.
type reader struct {
	*column
	sample *sample
	view   *view
	entry  []uint64        // by code of a dictionary: the key,
	known  []bool          // where that is known, in one unit
	kept   [1 << 10]uint64 // keys whose texts were kept lately
}

// reader begins a view, of which about so many cells are taken.
func (s *sample) reader(view, cells int) *reader {
	c := &column{key: make([]uint64, 0, cells), null: make([]bool, 0, cells)}
	return &reader{column: c, sample: s, view: &s.view[view]}
}

// keyOf is that of row i of a batch, which is not null.
func (n *reader) keyOf(v *table.Values, i int) uint64 {
	c := int(v.Code[i])
	if c >= v.Entries {
		return keyOf(v, i)
	}
	if grow := v.Entries - len(n.entry); grow > 0 {
		n.entry, n.known = append(n.entry, make([]uint64, grow)...), append(n.known, make([]bool, grow)...)
	}
	if !n.known[c] {
		n.entry[c], n.known[c] = keyOf(v, i), true
	}
	return n.entry[c]
}

// take takes some rows of a batch of n, the first of which is row from, and of texts at most so many
// bytes, their beginning, and a quarter of them from their end; and of all rows those of values that
// come with all of them.
func (n *reader) take(v *table.Values, from, many int, rows []int32) {
	v.Code = v.Code[:many]
	v = n.view.of(v)
	if n.typ = v.Type; n.typ.Form == table.WideDecimalCells {
		n.typ.Form = table.FloatCells
	}
	s, texts := n.sample, v.Type.Form == table.TextCells || v.Type.Form == table.BinaryCells
	if had, left := len(n.key), cap(n.key)-len(n.key); texts && had > 0 { // as much for those to come as for those before
		n.text = slices.Grow(n.text, len(n.text)*left/had)
		n.arena = slices.Grow(n.arena, len(n.arena)*left/had)
	}
	for _, row := range rows {
		i := int(row) - from
		null, key := v.Null(i), uint64(0)
		if !null {
			key = n.keyOf(v, i)
		}
		n.key, n.null = append(n.key, key), append(n.null, null)
		if slot := key >> 54; texts && !null && n.kept[slot] != key {
			n.kept[slot] = key
			n.keep(key, v.Bytes(i), s.longest)
		}
	}
	if s.every() {
		return
	}
	for i, x := range s.letter[from:][:many] {
		if x >= 0 && !v.Null(i) {
			if key := n.keyOf(v, i); s.whollyIn(key) {
				n.kin = append(n.kin, kin{key, int32(from + i)})
			}
		}
	}
}

// append puts the cells of a later part behind.
func (c *column) append(of *column) {
	c.typ = of.typ
	c.key, c.null, c.kin = append(c.key, of.key...), append(c.null, of.null...), append(c.kin, of.kin...)
	at := int32(len(c.arena))
	for _, t := range of.text {
		c.text = append(c.text, text{t.key, at + t.from, at + t.to})
	}
	c.arena = append(c.arena, of.arena...)
}

// keep keeps a text.
func (c *column) keep(key uint64, b []byte, most int) {
	at := int32(len(c.arena))
	if len(b) > most {
		c.arena = append(c.arena, b[:most-most/4]...)
		b = b[len(b)-most/4:]
	}
	c.arena = append(c.arena, b...)
	c.text = append(c.text, text{key, at, int32(len(c.arena))})
}

// whollyIn reports whether a value comes with all its rows.
func (s *sample) whollyIn(key uint64) bool {
	return s.akin == math.MaxUint64 || Mix(key^s.seed) < s.akin
}

// keyOf tells the cell in row i, which is not null, from others of its column,
// and orders numbers and times by their size. Texts have a hash, so that two of
// 2 million are taken for one with a chance of 10^-7; wide decimals are floats;
// what is no number comes last.
func keyOf(v *table.Values, i int) uint64 {
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells:
		return Hash(v.Bytes(i))
	case table.FloatCells, table.WideDecimalCells:
		b := math.Float64bits(v.Float(i))
		switch {
		case b == 1<<63: // -0
			return b
		case math.IsNaN(math.Float64frombits(b)):
			return math.MaxUint64
		case b>>63 != 0:
			return ^b
		}
		return b | 1<<63
	case table.UnsignedCells:
		return uint64(v.Int(i))
	}
	return uint64(v.Int(i)) ^ 1<<63
}
