package neighbours

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

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
	code []int32    // by row, null or a number from 1 on
	unit []numbered // by unit, in the order of the rows

	mu  sync.Mutex
	key []uint64 // by row; nil unless some unit has more than mostNumbered
}

// numbered is what one unit of a column holds.
type numbered struct {
	from, to int      // its rows
	key      []uint64 // by code, which starts at 1
	sorted   bool     // its keys are with the column, and codes that are not null are 1
	text     []text   // of some rows,
	arena    []byte   // and their bytes
}

// A text is the cell of a key: arena[from:to].
type text struct {
	key      uint64
	from, to int32
}

// keys is room for the keys of all rows.
func (c *column) keys() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key == nil {
		c.key = make([]uint64, len(c.code))
	}
	return c.key
}

// An interner numbers the cells of one unit after the other.
type interner struct {
	column *column
	unit   *numbered
	typ    table.CellType
	at     int      // row
	slot   []int32  // by hash of the key: its number, 0 where none is
	entry  []int32  // by the dictionary's code: the number, 0 unknown
	key    []uint64 // by number, which starts at 1
	all    []uint64 // of the rows of the column, once there are too many
	kept   []bool   // by number: its text is kept
}

// begin turns to a unit.
func (n *interner) begin(unit *numbered) {
	n.unit, n.at, n.key, n.all = unit, unit.from, n.key[:0], nil
	clear(n.slot)
	clear(n.entry)
	clear(n.kept)
}

// end leaves the keys with the unit.
func (n *interner) end() {
	if !n.unit.sorted {
		n.unit.key = slices.Clone(n.key)
	}
}

// add takes the cells of a batch.
func (n *interner) add(v *table.Values) {
	n.typ = v.Type
	if grow := v.Entries - len(n.entry); grow > 0 {
		n.entry = append(n.entry, make([]int32, grow)...)
	}
	code := n.column.code[n.at:][:len(v.Code)]
	for i, c := range v.Code {
		switch {
		case c < 0:
			code[i] = null
		case n.all != nil:
			code[i], n.all[n.at+i] = 1, keyOf(v, i)
		case int(c) < v.Entries && n.entry[c] != 0:
			code[i] = n.entry[c]
		default:
			key := keyOf(v, i)
			code[i] = n.number(key)
			switch {
			case code[i] == 0:
				n.spill(n.at + i)
				code[i], n.all[n.at+i] = 1, key
			case int(c) < v.Entries:
				n.entry[c] = code[i]
			}
		}
	}
	n.at += len(v.Code)
}

// keep keeps the texts of the rows picked of a batch that begins at row from,
// and of each as many bytes: its beginning, and a quarter of them from its end.
func (n *interner) keep(v *table.Values, from int, picks []int32, most int) {
	if v.Type.Form != table.TextCells && v.Type.Form != table.BinaryCells {
		return
	}
	if grow := mostNumbered + 1 - len(n.kept); grow > 0 {
		n.kept = append(n.kept, make([]bool, grow)...)
	}
	u := n.unit
	for _, i := range picks {
		code := n.column.code[from+int(i)]
		if code == null {
			continue
		}
		var key uint64
		if n.all != nil {
			key = n.all[from+int(i)]
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

// spill keeps the keys of the unit's rows instead, of those up to row, too.
func (n *interner) spill(row int) {
	n.all = n.column.keys()
	n.unit.sorted = true
	n.unit.spread(n.column, n.key, row)
}

// spread writes the keys of the unit's rows up to one behind each other.
func (u *numbered) spread(c *column, key []uint64, to int) {
	for i := u.from; i < to; i++ {
		if k := c.code[i]; k != null {
			c.code[i], c.key[i] = 1, key[k-1]
		}
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
