package neighbours

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
)

// A column holds the cells of a sample.
type column struct {
	typ  table.CellType
	unit []keyed // by unit, in the order of the rows
}

// keyed is what one unit of a column holds.
type keyed struct {
	key   []uint64 // by cell
	null  []bool   // by cell
	text  []text   // of some rows,
	arena []byte   // and their bytes
	kin   []kin    // rows of values that come with all their rows
}

// at is the key of a cell; ok is false for a null.
func (u *keyed) at(cell int) (key uint64, ok bool) { return u.key[cell], !u.null[cell] }

// keys hands out the keys of some cells, in file order or several times so; ok is false for a null.
func (s *sample) keys(c *column, cell []int32, each func(k int, key uint64, ok bool)) {
	at := 0
	for k, i := range cell {
		if int(i) < s.part[at].cell {
			at = 0
		}
		for int(i) >= s.part[at].end {
			at++
		}
		key, ok := c.unit[at].at(int(i) - s.part[at].cell)
		each(k, key, ok)
	}
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

// A reader takes the cells of a view, one unit of a column after the other.
type reader struct {
	sample *sample
	view   *view
	unit   *keyed
	typ    table.CellType
	entry  []uint64        // by code of a dictionary: the key,
	known  []bool          // where that is known
	kept   [1 << 10]uint64 // keys whose texts were kept lately
}

// begin turns to a part of a column, of which about so many cells are taken.
func (n *reader) begin(s *sample, view int, c *column, part, cells int) {
	n.sample, n.view, n.unit = s, &s.view[view], &c.unit[part]
	n.unit.key, n.unit.null = make([]uint64, 0, cells), make([]bool, 0, cells)
	if !s.every() {
		p := &s.part[part]
		n.unit.kin = make([]kin, 0, expected(p.to-p.from, s.akin))
	}
	clear(n.known)
	clear(n.kept[:])
}

// key is that of row i of a batch, which is not null.
func (n *reader) key(v *table.Values, i int) uint64 {
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
	u, s, texts := n.unit, n.sample, v.Type.Form == table.TextCells || v.Type.Form == table.BinaryCells
	if n, left := len(u.key), cap(u.key)-len(u.key); texts && n > 0 { // as much for those to come as for those before
		u.text = slices.Grow(u.text, len(u.text)*left/n)
		u.arena = slices.Grow(u.arena, len(u.arena)*left/n)
	}
	keys, nulls := u.key, u.null
	for _, row := range rows {
		i := int(row) - from
		null, key := v.Null(i), uint64(0)
		if !null {
			key = n.key(v, i)
		}
		keys, nulls = append(keys, key), append(nulls, null)
		if slot := key >> 54; texts && !null && n.kept[slot] != key {
			n.kept[slot] = key
			u.keep(key, v.Bytes(i), s.longest)
		}
	}
	u.key, u.null = keys, nulls
	if s.every() {
		return
	}
	for i, x := range s.letter[from:][:many] {
		if x >= 0 && !v.Null(i) {
			if key := n.key(v, i); s.whollyIn(key) {
				u.kin = append(u.kin, kin{key, int32(from + i)})
			}
		}
	}
}

// keep keeps a text.
func (u *keyed) keep(key uint64, b []byte, most int) {
	at := int32(len(u.arena))
	if len(b) > most {
		u.arena = append(u.arena, b[:most-most/4]...)
		b = b[len(b)-most/4:]
	}
	u.arena = append(u.arena, b...)
	u.text = append(u.text, text{key, at, int32(len(u.arena))})
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
