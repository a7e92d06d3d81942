package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

const (
	continuation = 0xffffffff // stands before the length of a message, since Arrow 0.15
	maxMetadata  = 16 << 20   // bytes of a message's metadata, or of a footer
	maxDepth     = 64         // of nested fields, as in Arrow's libraries
	v4, v5       = 3, 4       // the versions of metadata that are read
)

// A message is the metadata of a message, whose buffers are in a body elsewhere.
type message struct {
	meta    []byte // its own: load changes it
	kind    ipc.MessageType
	version int
	body    int64 // bytes
	rows    int64 // of a record batch
	id      int64 // of a dictionary
	delta   bool  // it adds to what came before
	batch   flat  // where the arrays are, of a record batch or a dictionary
	codec   codec
}

// A tally is what arrays take in a record batch: nodes, buffers apart from those of views,
// and views. What is not taken, arrow-go never sees.
type tally struct {
	nodes, buffers, views int
	taken                 bool
}

// metadataOf is what is framed by its length: of the newer and of the older form.
func metadataOf(framed []byte) ([]byte, error) {
	prefix, n := 4, binary.LittleEndian.Uint32(framed)
	if n == continuation {
		prefix, n = 8, binary.LittleEndian.Uint32(framed[4:])
	}
	if n < 8 || int64(n) > int64(len(framed)-prefix) {
		return nil, faultf("the message's metadata is longer than the footer says")
	}
	return framed[prefix : prefix+int(n)], nil
}

// newMessage reads and checks metadata.
func newMessage(meta []byte) (m *message, err error) {
	defer guard("reading a message", &err)
	t := root(meta)
	m = &message{meta: meta, kind: ipc.MessageType(t.number(1, 1)), version: int(int16(t.number(0, 2))),
		body: int64(t.number(3, 8)), codec: none}
	if err := checkVersion(m.version); err != nil {
		return nil, err
	}
	head, ok := t.sub(2)
	if !ok || m.body < 0 {
		return nil, faultf("the message has no header")
	}
	t.pairs(4)
	switch m.batch = head; m.kind {
	case ipc.MessageSchema:
		return m, nil
	case ipc.MessageDictionaryBatch:
		m.id, m.delta = int64(head.number(0, 8)), head.number(2, 1) != 0
		if m.batch, ok = head.sub(1); !ok {
			return nil, faultf("the dictionary has no values")
		}
	case ipc.MessageRecordBatch:
	default:
		return nil, faultf("a message is neither a record batch nor a dictionary")
	}
	if m.rows = int64(m.batch.number(0, 8)); m.rows < 0 || m.rows > 1<<48 {
		return nil, faultf("an impossible number of rows")
	}
	if c, ok := m.batch.sub(3); ok {
		if m.codec = codec(c.number(0, 1)); m.codec > zstandard || m.codec < lz4Frame || c.number(1, 1) != 0 {
			return nil, faultf("an unknown kind of compression")
		}
	}
	return m, m.checkBuffers()
}

func checkVersion(version int) error {
	if version != v4 && version != v5 {
		return table.Errorf("write it again with Arrow 1.0 or later", "metadata version %d is not supported", version+1)
	}
	return nil
}

// checkBuffers makes sure that buffers lie in the body and are no longer than it in all.
func (m *message) checkBuffers() error {
	at, n := m.batch.vector(2, 16)
	free := m.body
	for i := range n {
		off, size := m.pair(at + 16*i)
		if off < 0 || size < 0 || size > m.body || off > m.body-size {
			return faultf("a buffer reaches beyond the message's body")
		}
		if free -= size; free < 0 {
			return faultf("two buffers overlap")
		}
	}
	return nil
}

// pair are two numbers: where a buffer is and its length, or the length of an array and how
// many of it are null.
func (m *message) pair(at int) (int64, int64) {
	return int64(binary.LittleEndian.Uint64(m.meta[at:])), int64(binary.LittleEndian.Uint64(m.meta[at+8:]))
}

// nulls is how many nulls each column has, as the message says.
func (m *message) nulls(columns []tally) (nulls []int64, err error) {
	defer guard("reading a record batch", &err)
	at, n := m.batch.vector(1, 16)
	for _, c := range columns {
		if n -= c.nodes; n < 0 {
			return nil, faultf("fewer arrays than the schema has")
		}
		rows, none := m.pair(at)
		if rows != m.rows {
			return nil, faultf("a column of %d rows in a message of %d", rows, m.rows)
		}
		nulls, at = append(nulls, none), at+16*c.nodes
	}
	return nulls, nil
}

// take moves what the message says of the columns that are taken before all else, which is
// forgotten, and counts their buffers.
func (m *message) take(columns []tally) (buffers int, err error) {
	defer guard("reading a record batch", &err)
	if _, err := m.nulls(columns); err != nil {
		return 0, err
	}
	node, nodes := m.batch.vector(1, 16)
	buffer, n := m.batch.vector(2, 16)
	view, views := m.batch.vector(4, 8)
	to := [3]int{node, buffer, view}
	move := func(i int, from, size int) { to[i] += copy(m.meta[to[i]:], m.meta[from:from+size]) }
	for _, c := range columns {
		if views -= c.views; views < 0 {
			return 0, faultf("fewer arrays than the schema has")
		}
		count := int64(c.buffers)
		for i := range c.views {
			more := int64(binary.LittleEndian.Uint64(m.meta[view+8*i:]))
			if count += more; more < 0 || more > int64(n) {
				return 0, faultf("an impossible number of view buffers")
			}
		}
		if count > int64(n) {
			return 0, faultf("fewer buffers than the schema takes")
		}
		if c.taken {
			move(0, node, 16*c.nodes)
			move(1, buffer, 16*int(count))
			move(2, view, 8*c.views)
			buffers += int(count)
		}
		node, buffer, view = node+16*c.nodes, buffer+16*int(count), view+8*c.views
		n, nodes = n-int(count), nodes-c.nodes
	}
	if n+nodes+views > 0 {
		return 0, faultf("more arrays or buffers than the schema takes")
	}
	return buffers, nil
}

// load reads the buffers of the columns that are taken, all without columns, from a body
// that starts at from, into room. The message is changed to say where they are then:
// without compression, one behind the other.
func (m *message) load(columns []tally, body io.ReaderAt, from int64, room []byte) (_ *ipc.Message, _ []byte,
	err error) {
	defer guard("reading a message", &err)
	at, n := m.batch.vector(2, 16)
	if columns != nil {
		if n, err = m.take(columns); err != nil {
			return nil, nil, err
		}
	}
	need := int64(0)
	for i := range n {
		_, size := m.pair(at + 16*i)
		need += (size + 15) &^ 7
	}
	room = slices.Grow(room[:0], int(need))
	var raw []byte
	for i := range n {
		off, size := m.pair(at + 16*i)
		start := len(room)
		switch {
		case size == 0:
		case m.codec == none:
			room = room[:start+int(size)]
			err = readAt(body, room[start:], from+off)
		default:
			room = binary.LittleEndian.AppendUint64(room, ^uint64(0)) // rawPrefix
			raw = slices.Grow(raw[:0], int(size))[:size]
			if err = readAt(body, raw, from+off); err == nil {
				room, err = m.codec.decompress(room, raw)
			}
		}
		if err != nil {
			return nil, nil, err
		}
		binary.LittleEndian.PutUint64(m.meta[at+16*i:], uint64(start))
		binary.LittleEndian.PutUint64(m.meta[at+16*i+8:], uint64(len(room)-start))
		room = append(room, make([]byte, -len(room)&7)...)
	}
	if c, ok := m.batch.sub(3); ok {
		if p := c.slot(0); p != 0 {
			m.meta[p] = byte(lz4Frame) // whose reader costs nothing where it reads nothing
		}
	}
	return ipc.NewMessage(memory.NewBufferBytes(m.meta), memory.NewBufferBytes(room)), room, nil
}

// A schema is that of a file or stream as a message that arrow-go decodes.
type schema struct {
	meta   []byte
	fields int       // where their vector starts
	ids    [][]int64 // of the dictionaries of each column
	arrow  *arrow.Schema
}

// newSchema checks and decodes the table of a schema in a message.
func newSchema(meta []byte, t flat) (s *schema, err error) {
	defer guard("reading the schema", &err)
	if t.number(0, 2) != 0 {
		return nil, table.Errorf("write it again on a little-endian machine",
			"the file is big-endian, which is not supported")
	}
	s = &schema{meta: meta}
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
	s.arrow = r.Schema()
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
