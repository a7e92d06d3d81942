package arrow

import (
	"encoding/binary"
	"io"
	"slices"

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

// checkBuffers makes sure that buffers lie in the body and are no longer than it in all, and that no view has more.
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
	view, views := m.batch.vector(4, 8) // arrow-go allocates as many buffers as a view says, of dictionaries, too
	for i := range views {
		more := int64(binary.LittleEndian.Uint64(m.meta[view+8*i:]))
		if more < 0 || more > int64(n) {
			return faultf("an impossible number of view buffers")
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
			count += int64(binary.LittleEndian.Uint64(m.meta[view+8*i:]))
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

// load reads the buffers of the columns that are taken from a body that starts at from, into
// room, and within a budget. The message is changed to say where they are then: without
// compression, one behind the other.
func (m *message) load(columns []tally, body io.ReaderAt, from int64, room []byte, most *budget) (_ *ipc.Message,
	_ []byte, err error) {
	defer guard("reading a message", &err)
	at, _ := m.batch.vector(2, 16)
	n, err := m.take(columns)
	if err != nil {
		return nil, nil, err
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
				err = most.add(raw)
			}
			if err == nil {
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
