package splice

import "github.com/tacet-privacy/tacet/io/arrowraw/flat"

// checkArrowSchema holds the lists of a message with a schema to the bytes,
// and panics where they are longer or it is no such message. Arrow's library
// allocates whatever their lengths say, and memory that there is not ends the
// process.
func checkArrowSchema(message []byte) {
	m := flat.Root(message)
	if m.Int64(3) != 0 {
		panic("a schema with a body")
	}
	schema, ok := m.Sub(2)
	if !ok {
		panic("a message without a header")
	}
	schema.Tables(2)
	for _, f := range schema.Tables(1) {
		checkArrowField(f, 0)
	}
}

func checkArrowField(f flat.Table, depth int) {
	if depth > 64 {
		panic("nested too deep")
	}
	f.Tables(6)
	for _, below := range f.Tables(5) {
		checkArrowField(below, depth+1)
	}
}
