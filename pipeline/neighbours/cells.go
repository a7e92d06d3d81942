package neighbours

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
)

// null is the code of a null.
const null = 0

// mostNumbered is how many different cells of a unit are numbered while it is
// read. Beyond, the keys of all its rows are kept and sorted later: a table of
// millions of cells takes more memory and time.
const mostNumbered = 8192

// A column holds the cells of a sample.
type column struct {
	typ  table.CellType
	unit []numbered // by unit, in the order of the rows
}

// numbered is what one unit of a column holds.
type numbered struct {
	code   []int32  // by cell, null or a number from 1 on
	key    []uint64 // by code, which starts at 1
	sorted bool     // there were too many: keys are by cell, and codes that are not null are 1
	text   []text   // of some rows,
	arena  []byte   // and their bytes
	kin    []kin    // rows of values that come with all their rows
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

// An interner numbers the cells of one unit after the other.
type interner struct {
	unit  *numbered
	typ   table.CellType
	from  int      // cell of the unit with which the batch begins
	slot  []int32  // by hash of the key: its number, 0 where none is
	entry []int32  // by the dictionary's code: the number, 0 unknown
	akin  []int8   // by the dictionary's code: 1 where the value comes with all its rows, -1 where not, 0 unknown
	key   []uint64 // by number, which starts at 1
	kept  []bool   // by number: its text is kept
}

// begin turns to a unit, of which about so many cells are added.
func (n *interner) begin(unit *numbered, cells int) {
	n.unit, n.key = unit, n.key[:0]
	unit.code = make([]int32, 0, cells)
	clear(n.slot)
	clear(n.entry)
	clear(n.akin)
	clear(n.kept)
}

// end leaves the keys with the unit.
func (n *interner) end() {
	if !n.unit.sorted {
		n.unit.key = slices.Clone(n.key)
	}
}

// add takes the cells of some rows of a batch.
func (n *interner) add(v *table.Values, rows []int32) {
	u := n.unit
	n.typ, n.from = v.Type, len(u.code)
	if grow := v.Entries - len(n.entry); grow > 0 {
		n.entry = append(n.entry, make([]int32, grow)...)
	}
	for _, i := range rows {
		c := v.Code[i]
		code, key := int32(null), uint64(0)
		switch {
		case c < 0:
		case u.sorted:
			code, key = 1, keyOf(v, int(i))
		case int(c) < v.Entries && n.entry[c] != 0:
			code = n.entry[c]
		default:
			key = keyOf(v, int(i))
			switch code = n.number(key); {
			case code == 0:
				u.spread(n.key)
				code = 1
			case int(c) < v.Entries:
				n.entry[c] = code
			}
		}
		u.code = append(u.code, code)
		if u.sorted {
			u.key = append(u.key, key)
		}
	}
}

// keep keeps the texts of the rows picked of the batch that was added, and of
// each as many bytes: its beginning, and a quarter of them from its end. The
// batch was added whole, or those rows of it.
func (n *interner) keep(v *table.Values, picks []int32, whole bool, most int) {
	if v.Type.Form != table.TextCells && v.Type.Form != table.BinaryCells {
		return
	}
	if grow := mostNumbered + 1 - len(n.kept); grow > 0 {
		n.kept = append(n.kept, make([]bool, grow)...)
	}
	u := n.unit
	for k, i := range picks {
		cell := n.from + k
		if whole {
			cell = n.from + int(i)
		}
		code := u.code[cell]
		if code == null {
			continue
		}
		var key uint64
		if u.sorted {
			key = u.key[cell]
		} else {
			if n.kept[code] {
				continue
			}
			n.kept[code] = true
			key = n.key[code-1]
		}
		b, at := v.Bytes(int(i)), int32(len(u.arena))
		if len(b) > most {
			u.arena = append(u.arena, b[:most-most/4]...)
			b = b[len(b)-most/4:]
		}
		u.arena = append(u.arena, b...)
		u.text = append(u.text, text{key, at, int32(len(u.arena))})
	}
}

// alike keeps the rows of a batch, the first of which is row from, whose values
// come with all their rows.
func (n *interner) alike(v *table.Values, s *sample, from int, limit uint64) {
	if grow := v.Entries - len(n.akin); grow > 0 {
		n.akin = append(n.akin, make([]int8, grow)...)
	}
	letter := s.letter[from:]
	for i, c := range v.Code {
		if c < 0 || int(c) < v.Entries && n.akin[c] < 0 || letter[i] < 0 {
			continue
		}
		key := keyOf(v, i)
		akin := s.whollyIn(key, limit)
		if int(c) < v.Entries {
			if n.akin[c] = -1; akin {
				n.akin[c] = 1
			}
		}
		if akin {
			n.unit.kin = append(n.unit.kin, kin{key, int32(from + i)})
		}
	}
}

// whollyIn reports whether a value comes with all its rows, where those below a
// limit do.
func (s *sample) whollyIn(key, limit uint64) bool { return mix(key^s.seed) < limit }

// number finds the number of a key, or gives it one; 0 where there are too
// many.
func (n *interner) number(key uint64) int32 {
	if 2*len(n.key) >= len(n.slot) {
		n.grow()
	}
	mask := uint64(len(n.slot) - 1)
	for at := key * 0x9e3779b97f4a7c15 >> 32; ; at++ {
		slot := &n.slot[at&mask]
		switch {
		case *slot == 0 && len(n.key) == mostNumbered:
			return 0
		case *slot == 0:
			n.key = append(n.key, key)
			*slot = int32(len(n.key))
			return *slot
		case n.key[*slot-1] == key:
			return *slot
		}
	}
}

// grow doubles the slots.
func (n *interner) grow() {
	n.slot = make([]int32, max(64, 2*len(n.slot)))
	mask := uint64(len(n.slot) - 1)
	for i, key := range n.key {
		at := key * 0x9e3779b97f4a7c15 >> 32
		for n.slot[at&mask] != 0 {
			at++
		}
		n.slot[at&mask] = int32(i + 1)
	}
}

// spread writes the keys of the unit's cells behind each other.
func (u *numbered) spread(key []uint64) {
	u.sorted, u.key = true, make([]uint64, len(u.code), cap(u.code))
	for i, k := range u.code {
		if k != null {
			u.code[i], u.key[i] = 1, key[k-1]
		}
	}
}

// at is the key of a cell; ok is false for a null.
func (u *numbered) at(cell int) (key uint64, ok bool) {
	switch k := u.code[cell]; {
	case k == null:
		return 0, false
	case u.sorted:
		return u.key[cell], true
	default:
		return u.key[k-1], true
	}
}

// keyOf tells the cell in row i, which is not null, from others of its column,
// and orders numbers and times by their size. Texts have a hash, so that two of
// 2 million are taken for one with a chance of 10^-7; decimals beyond 2^55
// count as equal where their first 55 bits are; what is no number comes last.
func keyOf(v *table.Values, i int) uint64 {
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells:
		return Hash(v.Bytes(i))
	case table.WideDecimalCells:
		return wideKey(v.Bytes(i))
	case table.FloatCells:
		b := uint64(v.Int(i))
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

// wideKey orders big-endian two's complements of up to 64 bytes: by sign, by
// length, and by 54 bits behind the leading one.
func wideKey(b []byte) uint64 {
	flip := byte(0)
	if len(b) > 0 && b[0] >= 0x80 {
		flip = 0xff // -n-1
	}
	for len(b) > 0 && b[0] == flip {
		b = b[1:]
	}
	key := uint64(0)
	if len(b) > 0 {
		var lead [9]byte
		copy(lead[:], b)
		for k := range min(len(b), len(lead)) {
			lead[k] ^= flip
		}
		first := bits.LeadingZeros8(lead[0])
		top := binary.BigEndian.Uint64(lead[:])<<(first+1) | uint64(lead[8])<<(first+1)>>8
		key = uint64(8*len(b)-first)<<54 | top>>10
	}
	if flip != 0 {
		return 1<<63 - 1 - key
	}
	return 1<<63 | key
}
