package arrow

import "encoding/binary"

// A flat is a flatbuffer table, of which the metadata of Arrow IPC are made, in untrusted
// bytes; its fields are known by their numbers. A position outside the bytes panics: every
// caller is behind table.Guard. Offsets to other objects only lead forward, so that no walk goes
// round in circles. As objects may be referred to more than once, a few bytes could unfold
// into very many: left bounds what is read in all.
type flat struct {
	buf  []byte
	pos  int
	left *int
}

// tableSize is the least that an element of a vector of tables takes: its offset, its
// table and something in it.
const tableSize = 16

// root is the table that a flatbuffer starts with.
func root(buf []byte) flat {
	left := 4 * len(buf)
	return flat{buf, forward(buf, 0), &left}
}

// forward follows the unsigned offset that stands at pos.
func forward(buf []byte, pos int) int {
	step := int(binary.LittleEndian.Uint32(buf[pos:]))
	hold(step > 0, "an object refers to itself")
	return pos + step
}

// slot is the position of a field, 0 where it is absent.
func (t flat) slot(i int) int {
	vtable := t.pos - int(int32(binary.LittleEndian.Uint32(t.buf[t.pos:])))
	if 4+2*i+2 > int(binary.LittleEndian.Uint16(t.buf[vtable:])) {
		return 0
	}
	if step := int(binary.LittleEndian.Uint16(t.buf[vtable+4+2*i:])); step != 0 {
		return t.pos + step
	}
	return 0
}

// number is a field of so many bytes without a sign, 0 where it is absent.
func (t flat) number(i, size int) uint64 {
	var word [8]byte
	if p := t.slot(i); p != 0 {
		copy(word[:size], t.buf[p:p+size])
	}
	return binary.LittleEndian.Uint64(word[:])
}

// sub is the table that a field refers to.
func (t flat) sub(i int) (flat, bool) {
	p := t.slot(i)
	if p == 0 {
		return flat{}, false
	}
	return flat{t.buf, forward(t.buf, p), t.left}, true
}

// vector is where elements of so many bytes start, all of which are inside.
func (t flat) vector(i, size int) (from, n int) {
	p := t.slot(i)
	if p == 0 {
		return 0, 0
	}
	from = forward(t.buf, p)
	n = int(binary.LittleEndian.Uint32(t.buf[from:]))
	from += 4
	hold(n <= (len(t.buf)-from)/size, "a vector reaches beyond its bytes")
	t.take(n * size)
	return from, n
}

// take counts bytes that are read.
func (t flat) take(n int) {
	*t.left -= n
	hold(*t.left >= 0, "its metadata unfold into more than they are")
}

// tables are the elements of a vector of tables.
func (t flat) tables(i int) []flat {
	from, n := t.vector(i, 4)
	t.take(n * (tableSize - 4))
	list := make([]flat, n)
	for j := range list {
		list[j] = flat{t.buf, forward(t.buf, from+4*j), t.left}
	}
	return list
}

// pairs walks over the custom metadata in a field.
func (t flat) pairs(i int) {
	for _, pair := range t.tables(i) {
		pair.vector(0, 1)
		pair.vector(1, 1)
	}
}
