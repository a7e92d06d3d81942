package arrow

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

// maxDepth bounds nested fields, as in Arrow's libraries.
const maxDepth = 64

// A schema is that of a file or stream.
type schema struct {
	meta    []byte          // a message that holds it
	columns []tally         // in record batches
	values  map[int64]tally // of each dictionary
	arrow   *arrow.Schema
	index   *table.Index
}

// A tally is what a column takes in a record batch, and the values of a dictionary in theirs.
type tally struct {
	nodes, views int
	buffers      int     // apart from those of views
	valid        int     // bitmaps that only version 4 has
	ids          []int64 // of its dictionaries, its own first
}

// newSchema checks and decodes the table of a schema in a message.
func newSchema(meta []byte, t flat) *schema {
	if t.number(0, 2) != 0 {
		panic(table.Errorf("write it again on a little-endian machine", "the file is big-endian, which is not supported"))
	}
	s := &schema{meta: meta, values: map[int64]tally{}}
	t.pairs(2)
	for _, field := range t.tables(1) {
		var of tally
		s.walk(field, 0, &of)
		s.columns = append(s.columns, of)
	}
	r, err := ipc.NewReaderFromMessageReader(&queue{list: []*ipc.Message{s.message()}})
	if err != nil {
		panic(&table.InputError{What: "its schema has a type or metadata that are not supported",
			Hint: "cast or drop such columns before", Err: err})
	}
	s.arrow = r.Schema()
	var names []string
	for _, f := range s.arrow.Fields() {
		names = append(names, f.Name)
	}
	s.index = table.NewIndex(names)
	return s
}

func (s *schema) message() *ipc.Message {
	return ipc.NewMessage(memory.NewBufferBytes(s.meta), memory.NewBufferBytes(nil))
}

// walk checks that a field and those below it are inside the bytes, and counts what an array
// of it takes: what "Buffer listing for each layout" in Columnar.html says of the types of
// Schema.fbs.
func (s *schema) walk(f flat, depth int, of *tally) {
	hold(depth <= maxDepth, "fields are nested more than %d deep", maxDepth)
	f.vector(0, 1)
	f.pairs(6)
	typ, ok := f.sub(3)
	hold(ok, "a column has no type")
	below := of
	if d, ok := f.sub(4); ok { // of indices, and its values are elsewhere
		of.nodes, of.buffers = of.nodes+1, of.buffers+2
		d.sub(1)
		id := int64(d.number(0, 8))
		below = &tally{}
		defer func() {
			of.ids = append(append(of.ids, id), below.ids...)
			s.values[id] = *below
		}()
	}
	below.nodes++
	switch f.number(2, 1) {
	case 1: // null
	case 22: // runs
		below.valid++
	case 13, 16: // struct, list of one size
		below.buffers++
	case 14: // union, with its type ids, and with offsets where it is dense
		typ.vector(1, 4)
		below.valid++
		below.buffers += 1 + int(typ.number(0, 2)&1)
	case 4, 5, 19, 20, 25, 26: // with offsets, or with offsets and sizes
		below.buffers += 3
	case 23, 24: // views
		below.buffers, below.views = below.buffers+2, below.views+1
	case 10: // timestamp, with the name of its zone
		typ.vector(1, 1)
		fallthrough
	default:
		below.buffers += 2
	}
	for _, child := range f.tables(5) {
		s.walk(child, depth+1, below)
	}
}

// ReadSchema decodes a message that holds a schema alone, with its length before it.
func ReadSchema(framed []byte) (_ *arrow.Schema, err error) {
	defer table.Guard("reading the schema", &err)
	m := newMessage(metadataOf(framed))
	hold(m.kind == ipc.MessageSchema && m.body == 0, "no message with a schema alone")
	return newSchema(m.meta, m.batch).arrow, nil
}

// SchemaMessage is what ReadSchema reads.
func SchemaMessage(s *arrow.Schema) (framed []byte, err error) {
	defer table.Guard("writing the schema", &err)
	var out bytes.Buffer
	p := ipc.GetSchemaPayload(s, memory.DefaultAllocator)
	_, err = p.WritePayload(&out)
	return out.Bytes(), err
}

// typeName spells a type for people.
func typeName(t arrow.DataType) string {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return fmt.Sprintf("dictionary<%s, %s>", d.IndexType, d.ValueType)
	}
	return t.String()
}
