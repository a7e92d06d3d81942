package batch

import "encoding/binary"

// A FlatTable is a flatbuffer table, of which the metadata of Arrow IPC files are
// made, in untrusted bytes, read by the number of its
// field in the schema. A position outside the bytes panics: every caller is
// behind Guard. Offsets to other objects only lead forward, so that no walk
// goes round in circles. As objects may be referred to more than once, a few
// bytes could unfold into very many: left bounds what is read in all.
type FlatTable struct {
	buf  []byte
	pos  int
	left *int
}

// tableSize is the least that an element of a vector of tables takes: its
// offset, its table and something in it.
const tableSize = 16

// Root is the table that a flatbuffer starts with.
func Root(buf []byte) FlatTable {
	left := 4 * len(buf)
	return FlatTable{buf, forward(buf, 0), &left}
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
func (t FlatTable) slot(i int) int {
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

// Flag is field i, false where it is absent.
func (t FlatTable) Flag(i int) bool { return t.Byte(i) != 0 }

// Byte is field i, 0 where it is absent.
func (t FlatTable) Byte(i int) byte {
	if p := t.slot(i); p != 0 {
		return t.buf[p]
	}
	return 0
}

// Int16 is field i.
func (t FlatTable) Int16(i int, absent int16) int16 {
	if p := t.slot(i); p != 0 {
		return int16(binary.LittleEndian.Uint16(t.buf[p:]))
	}
	return absent
}

// Int32 is field i.
func (t FlatTable) Int32(i int, absent int32) int32 {
	if p := t.slot(i); p != 0 {
		return int32(binary.LittleEndian.Uint32(t.buf[p:]))
	}
	return absent
}

// Int64 is field i, 0 where it is absent.
func (t FlatTable) Int64(i int) int64 {
	if p := t.slot(i); p != 0 {
		return int64(binary.LittleEndian.Uint64(t.buf[p:]))
	}
	return 0
}

// Sub is the table that field i refers to.
func (t FlatTable) Sub(i int) (FlatTable, bool) {
	p := t.slot(i)
	if p == 0 {
		return FlatTable{}, false
	}
	return FlatTable{t.buf, forward(t.buf, p), t.left}, true
}

// Text is field i, a string; empty where it is absent.
func (t FlatTable) Text(i int) string {
	from, n := t.vector(i, 1)
	return string(t.buf[from : from+n])
}

// vector is where the elements of vector i start, and how many there are, all
// inside the bytes.
func (t FlatTable) vector(i, size int) (from, n int) {
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

// Tables are the elements of a vector of tables.
func (t FlatTable) Tables(i int) []FlatTable {
	from, n := t.vector(i, 4)
	if *t.left -= n * (tableSize - 4); *t.left < 0 {
		panic("more objects than bytes")
	}
	list := make([]FlatTable, n)
	for j := range list {
		list[j] = FlatTable{t.buf, forward(t.buf, from+4*j), t.left}
	}
	return list
}

// Int64s are the elements of a vector of 64-bit integers, or of structs of
// words of them.
func (t FlatTable) Int64s(i, words int) []int64 {
	from, n := t.vector(i, 8*words)
	list := make([]int64, n*words)
	for j := range list {
		list[j] = int64(binary.LittleEndian.Uint64(t.buf[from+8*j:]))
	}
	return list
}

// Int32s are the elements of a vector of 32-bit integers, nil where there are
// none.
func (t FlatTable) Int32s(i int) (list []int32) {
	from, n := t.vector(i, 4)
	for j := range n {
		list = append(list, int32(binary.LittleEndian.Uint32(t.buf[from+4*j:])))
	}
	return list
}
