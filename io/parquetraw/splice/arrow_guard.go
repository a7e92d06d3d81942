package splice

import "encoding/binary"

// An arrowTable is a flatbuffer table in bytes that may be anything. What lies
// outside them panics.
// https://flatbuffers.dev/internals/
type arrowTable struct {
	b    []byte
	at   int
	left *int // how many more tables may be walked: two may refer to one
}

// checkArrowSchema holds the lists of a message with a schema to the bytes,
// and panics where they are longer or it is no such message. Arrow's library
// allocates whatever their lengths say, and memory that there is not ends the
// process.
func checkArrowSchema(message []byte) {
	left := len(message)
	m := arrowTable{message, int(binary.LittleEndian.Uint32(message)), &left}
	if body := m.slot(3); body > 0 && binary.LittleEndian.Uint64(message[body:]) != 0 {
		panic("a schema with a body")
	}
	header := m.slot(2)
	if header == 0 {
		panic("a message without a header")
	}
	s := arrowTable{message, m.target(header), &left}
	s.tables(2, func(arrowTable) {})
	s.tables(1, func(f arrowTable) { f.checkField(0) })
}

func (t arrowTable) checkField(depth int) {
	if depth > 64 {
		panic("nested too deep")
	}
	t.tables(6, func(arrowTable) {})
	t.tables(5, func(f arrowTable) { f.checkField(depth + 1) })
}

// slot is where field i stands, 0 where it is absent.
func (t arrowTable) slot(i int) int {
	v := t.at - int(int32(binary.LittleEndian.Uint32(t.b[t.at:])))
	if 4+2*i >= int(binary.LittleEndian.Uint16(t.b[v:])) {
		return 0
	}
	if step := int(binary.LittleEndian.Uint16(t.b[v+4+2*i:])); step > 0 {
		return t.at + step
	}
	return 0
}

// target is what the offset at a place refers to.
func (t arrowTable) target(at int) int { return at + int(binary.LittleEndian.Uint32(t.b[at:])) }

// tables walks a list of tables.
func (t arrowTable) tables(i int, walk func(arrowTable)) {
	s := t.slot(i)
	if s == 0 {
		return
	}
	at := t.target(s)
	n := int(binary.LittleEndian.Uint32(t.b[at:]))
	if *t.left -= n; *t.left < 0 {
		panic("more tables than bytes")
	}
	for k := range n {
		walk(arrowTable{t.b, t.target(at + 4 + 4*k), t.left})
	}
}
