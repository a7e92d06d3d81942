package cells

import "encoding/binary"

const (
	// maxBuffer bounds what a compressed buffer says it is without
	// compression, in bytes; maxLength an array, in cells.
	maxBuffer = 2 << 30
	maxLength = 1 << 33
)

// sound walks schema and message heads before the library does, which
// allocates whatever a damaged length says. It panics where an object lies
// outside the bytes.
func (a *arrowFile) sound() bool {
	soundFields(a.footer.sub(1))
	dictionaries := len(a.footer.blocks(2))
	for i, b := range a.blocks() {
		m, err := a.message(b)
		if err != nil {
			return false
		}
		batch := m.sub(2)
		if i < dictionaries {
			batch = batch.sub(1)
		}
		if !a.soundBatch(batch, b) {
			return false
		}
	}
	return true
}

// soundSchema walks a message that is a schema without a body.
func soundSchema(m table) {
	if at := m.slot(3); at > 0 && binary.LittleEndian.Uint64(m.b[at:]) != 0 {
		panic("a schema with a body")
	}
	soundFields(m.sub(2))
}

func soundFields(schema table) {
	schema.keys(2)
	for _, f := range schema.tables(1) {
		f.fieldKeys(0)
	}
}

// soundBatch checks that the buffers of a batch lie in its body, and that
// neither they nor the arrays are larger than any that is written.
func (a *arrowFile) soundBatch(batch table, b block) bool {
	at, n := batch.vector(1)
	for ; n > 0; n, at = n-1, at+16 {
		rows, nulls := int64(binary.LittleEndian.Uint64(batch.b[at:])), int64(binary.LittleEndian.Uint64(batch.b[at+8:]))
		if rows < 0 || rows > maxLength || nulls < 0 || nulls > rows {
			return false
		}
	}
	head := make([]byte, 8)
	at, n = batch.vector(2)
	for ; n > 0; n, at = n-1, at+16 {
		from, size := int64(binary.LittleEndian.Uint64(batch.b[at:])), int64(binary.LittleEndian.Uint64(batch.b[at+8:]))
		if from < 0 || size < 0 || from > b.body || size > b.body-from {
			return false
		}
		if batch.slot(3) == 0 || size == 0 {
			continue
		}
		if k, _ := a.in.ReadAt(head, b.at+b.meta+from); k < len(head) || size < 8 {
			return false
		}
		if plain := int64(binary.LittleEndian.Uint64(head)); plain < -1 || plain > maxBuffer {
			return false
		}
	}
	return true
}
