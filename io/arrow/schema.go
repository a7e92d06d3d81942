package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

// A schema is that of a file or stream as a message that arrow-go decodes.
type schema struct {
	meta   []byte
	fields int                      // where their vector starts
	ids    [][]int64                // of the dictionaries of each column
	values map[int64]arrow.DataType // of each dictionary
	arrow  *arrow.Schema
	place  map[string]int // of columns, by name; -1 where several have it
}

// newSchema checks and decodes the table of a schema in a message.
func newSchema(meta []byte, t flat) (s *schema, err error) {
	defer guard("reading the schema", &err)
	if t.number(0, 2) != 0 {
		return nil, table.Errorf("write it again on a little-endian machine",
			"the file is big-endian, which is not supported")
	}
	s = &schema{meta: meta, values: map[int64]arrow.DataType{}}
	t.pairs(2)
	for _, field := range t.tables(1) {
		var ids []int64
		if err := walk(field, 0, &ids); err != nil {
			return nil, err
		}
		s.ids = append(s.ids, ids)
	}
	s.fields, _ = t.vector(1, 4)
	r, err := ipc.NewReaderFromMessageReader(&queue{list: []*ipc.Message{s.message(nil)}})
	if err != nil {
		return nil, &table.InputError{What: "its schema has a type or metadata that are not supported",
			Hint: "cast or drop such columns before", Err: err}
	}
	s.arrow, s.place = r.Schema(), map[string]int{}
	for i, f := range s.arrow.Fields() {
		if _, twice := s.place[f.Name]; twice {
			i = -1
		}
		s.place[f.Name] = i
	}
	for i, f := range s.arrow.Fields() {
		for k, t := range coded(f.Type, nil) {
			s.values[s.ids[i][k]] = t
		}
	}
	return s, nil
}

// ReadSchema decodes a message that holds a schema alone, with its length before it.
func ReadSchema(framed []byte) (_ *arrow.Schema, err error) {
	defer guard("reading the schema", &err)
	meta, err := metadataOf(framed)
	if err != nil {
		return nil, err
	}
	m, err := newMessage(meta)
	if err != nil {
		return nil, err
	}
	if m.kind != ipc.MessageSchema || m.body != 0 {
		return nil, faultf("no message with a schema alone")
	}
	s, err := newSchema(m.meta, m.batch)
	if err != nil {
		return nil, err
	}
	return s.arrow, nil
}

// SchemaMessage is what ReadSchema reads.
func SchemaMessage(s *arrow.Schema) (framed []byte, err error) {
	defer guard("writing the schema", &err)
	var out bytes.Buffer
	p := ipc.GetSchemaPayload(s, memory.DefaultAllocator)
	_, err = p.WritePayload(&out)
	return out.Bytes(), err
}

// walk checks that a field and those below it are inside the bytes, and collects the ids of
// their dictionaries.
func walk(t flat, depth int, ids *[]int64) error {
	if depth > maxDepth {
		return faultf("fields are nested more than %d deep", maxDepth)
	}
	t.vector(0, 1)
	typ, ok := t.sub(3)
	if !ok {
		return faultf("a column has no type")
	}
	switch t.number(2, 1) {
	case 10: // a timestamp, with the name of its zone
		typ.vector(1, 1)
	case 14: // a union, with its type ids
		typ.vector(1, 4)
	}
	if d, ok := t.sub(4); ok {
		*ids = append(*ids, int64(d.number(0, 8)))
		d.sub(1)
	}
	for _, child := range t.tables(5) {
		if err := walk(child, depth+1, ids); err != nil {
			return err
		}
	}
	t.pairs(6)
	return nil
}

// coded are the types of the dictionaries' values, in the order in which walk finds their ids.
func coded(t arrow.DataType, before []arrow.DataType) []arrow.DataType {
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	if d, ok := t.(*arrow.DictionaryType); ok {
		t, before = d.ValueType, append(before, d.ValueType)
	}
	if below, ok := t.(arrow.NestedType); ok {
		for _, f := range below.Fields() {
			before = coded(f.Type, before)
		}
	}
	return before
}

// message is the schema of the columns that are taken, all where columns is nil.
func (s *schema) message(columns []tally) *ipc.Message {
	meta := slices.Clone(s.meta)
	n := uint32(0)
	for i, c := range columns {
		if from := s.fields + 4*i; c.taken {
			to := s.fields + 4*int(n)
			binary.LittleEndian.PutUint32(meta[to:], uint32(forward(s.meta, from)-to))
			n++
		}
	}
	if columns != nil {
		binary.LittleEndian.PutUint32(meta[s.fields-4:], n)
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(nil))
}

// tallies are those of the columns in a record batch of that version.
func (s *schema) tallies(version int) []tally {
	list := make([]tally, s.arrow.NumFields())
	for i, f := range s.arrow.Fields() {
		list[i].add(f.Type, version)
	}
	return list
}

// add counts an array of type t: what "Buffer listing for each layout" in Columnar.html
// says.
func (n *tally) add(t arrow.DataType, version int) {
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	n.nodes++
	switch t := t.(type) {
	case *arrow.NullType, *arrow.RunEndEncodedType:
	case *arrow.StructType, *arrow.FixedSizeListType:
		n.buffers++
	case arrow.UnionType: // with a bitmap before version 5, and with offsets where it is dense
		n.buffers += 1 + v5 - version + map[bool]int{true: 1}[t.Mode() == arrow.DenseMode]
	case *arrow.StringType, *arrow.LargeStringType, *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.ListViewType,
		*arrow.LargeListViewType:
		n.buffers += 3
	case arrow.BinaryViewDataType:
		n.buffers, n.views = n.buffers+2, n.views+1
	default:
		n.buffers += 2
	}
	if below, ok := t.(arrow.NestedType); ok {
		for _, f := range below.Fields() {
			n.add(f.Type, version)
		}
	}
}

// typeName spells a type for people.
func typeName(t arrow.DataType) string {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return fmt.Sprintf("dictionary<%s, %s>", d.IndexType, d.ValueType)
	}
	return t.String()
}
