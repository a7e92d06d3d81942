package arrowraw

import "encoding/binary"

// A table is a flatbuffer table in untrusted bytes, read by the number of its
// field in the schema. A position outside the bytes panics: every caller is
// behind guard. Offsets to other objects only lead forward, so that no walk
// goes round in circles. As objects may be referred to more than once, a few
// bytes could unfold into very many: left bounds what is read in all.
type table struct {
	buf  []byte
	pos  int
	left *int
}

// tableSize is the least that an element of a vector of tables takes: its
// offset, its table and something in it.
const tableSize = 16

func rootTable(buf []byte) table {
	left := 4 * len(buf)
	return table{buf, forward(buf, 0), &left}
}

// forward follows the unsigned offset that stands at pos.
func forward(buf []byte, pos int) int {
	step := int(binary.LittleEndian.Uint32(buf[pos:]))
	if step == 0 {
		panic("offset to itself")
	}
	return pos + step
}

// slot is the position of field number i, 0 where it is absent.
func (t table) slot(i int) int {
	vtable := t.pos - int(int32(binary.LittleEndian.Uint32(t.buf[t.pos:])))
	size := int(binary.LittleEndian.Uint16(t.buf[vtable:]))
	entry := 4 + 2*i
	if entry+2 > size {
		return 0
	}
	if step := int(binary.LittleEndian.Uint16(t.buf[vtable+entry:])); step != 0 {
		return t.pos + step
	}
	return 0
}

func (t table) flag(i int) bool { return t.byte(i) != 0 }

func (t table) byte(i int) byte {
	if p := t.slot(i); p != 0 {
		return t.buf[p]
	}
	return 0
}

func (t table) int16(i int, absent int16) int16 {
	if p := t.slot(i); p != 0 {
		return int16(binary.LittleEndian.Uint16(t.buf[p:]))
	}
	return absent
}

func (t table) int32(i int, absent int32) int32 {
	if p := t.slot(i); p != 0 {
		return int32(binary.LittleEndian.Uint32(t.buf[p:]))
	}
	return absent
}

func (t table) int64(i int) int64 {
	if p := t.slot(i); p != 0 {
		return int64(binary.LittleEndian.Uint64(t.buf[p:]))
	}
	return 0
}

// sub is the table that field i refers to.
func (t table) sub(i int) (table, bool) {
	p := t.slot(i)
	if p == 0 {
		return table{}, false
	}
	return table{t.buf, forward(t.buf, p), t.left}, true
}

func (t table) text(i int) string {
	from, n := t.vector(i, 1)
	return string(t.buf[from : from+n])
}

// vector is where the elements of vector i start, and how many there are, all
// inside the bytes.
func (t table) vector(i, size int) (from, n int) {
	p := t.slot(i)
	if p == 0 {
		return 0, 0
	}
	from = forward(t.buf, p)
	n = int(binary.LittleEndian.Uint32(t.buf[from:]))
	from += 4
	if n > (len(t.buf)-from)/size {
		panic("vector beyond the bytes")
	}
	if *t.left -= n * size; *t.left < 0 {
		panic("more objects than bytes")
	}
	return from, n
}

// tables are the elements of a vector of tables.
func (t table) tables(i int) []table {
	from, n := t.vector(i, 4)
	if *t.left -= n * (tableSize - 4); *t.left < 0 {
		panic("more objects than bytes")
	}
	list := make([]table, n)
	for j := range list {
		list[j] = table{t.buf, forward(t.buf, from+4*j), t.left}
	}
	return list
}

// int64s are the elements of a vector of 64-bit integers, or of structs of
// words of them.
func (t table) int64s(i, words int) []int64 {
	from, n := t.vector(i, 8*words)
	list := make([]int64, n*words)
	for j := range list {
		list[j] = int64(binary.LittleEndian.Uint64(t.buf[from+8*j:]))
	}
	return list
}
