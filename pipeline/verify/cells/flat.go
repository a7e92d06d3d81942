package cells

import "encoding/binary"

// A table is a flatbuffer table, read by the numbers of its fields. What lies
// outside the bytes panics: callers are behind guard.
// https://flatbuffers.dev/internals/
type table struct {
	b  []byte
	at int
}

func root(b []byte) table { return table{b, int(binary.LittleEndian.Uint32(b))} }

// slot is where field i stands, 0 where it is absent.
func (t table) slot(i int) int {
	v := t.at - int(int32(binary.LittleEndian.Uint32(t.b[t.at:])))
	if 4+2*i >= int(binary.LittleEndian.Uint16(t.b[v:])) {
		return 0
	}
	if step := int(binary.LittleEndian.Uint16(t.b[v+4+2*i:])); step > 0 {
		return t.at + step
	}
	return 0
}

// vector is where the elements of field i start, and their number.
func (t table) vector(i int) (at, n int) {
	s := t.slot(i)
	if s == 0 {
		return 0, 0
	}
	at = s + int(binary.LittleEndian.Uint32(t.b[s:]))
	if n = int(binary.LittleEndian.Uint32(t.b[at:])); n > len(t.b)-at {
		panic("a vector beyond the end")
	}
	return at + 4, n
}

// sub is the table that field i, which must be there, refers to.
func (t table) sub(i int) table {
	s := t.slot(i)
	if s == 0 {
		panic("a table that is not there")
	}
	return table{t.b, s + int(binary.LittleEndian.Uint32(t.b[s:]))}
}

// tables are the elements of field i.
func (t table) tables(i int) []table {
	at, n := t.vector(i)
	list := make([]table, n)
	for k := range list {
		e := at + 4*k
		list[k] = table{t.b, e + int(binary.LittleEndian.Uint32(t.b[e:]))}
	}
	return list
}

// keys are the keys of a list of key-value pairs.
func (t table) keys(i int) (keys []string) {
	for _, pair := range t.tables(i) {
		from, size := pair.vector(0)
		keys = append(keys, string(t.b[from:from+size]))
	}
	return keys
}

// fieldKeys are the keys of a field's custom metadata and of those below it.
func (t table) fieldKeys(depth int) []string {
	if depth > 40 {
		panic("nested too deep")
	}
	keys := t.keys(6)
	for _, child := range t.tables(5) {
		keys = append(keys, child.fieldKeys(depth+1)...)
	}
	return keys
}

// A block is where a message stands: its metadata, then its body.
type block struct{ at, meta, body int64 }

func (t table) blocks(i int) []block {
	at, n := t.vector(i)
	list := make([]block, n)
	for k := range list {
		e := t.b[at+24*k:]
		list[k] = block{int64(binary.LittleEndian.Uint64(e)), int64(int32(binary.LittleEndian.Uint32(e[8:]))), int64(binary.LittleEndian.Uint64(e[16:]))}
	}
	return list
}
