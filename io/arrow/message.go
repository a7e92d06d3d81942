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
	v4, v5       = 3, 4       // the versions of metadata that are read
)

// A message is the metadata of a message, whose buffers are in a body elsewhere.
type message struct {
	meta    []byte // its own: fit and load change it
	kind    ipc.MessageType
	version int
	body    int64 // bytes
	rows    int64 // of a record batch, or values of a dictionary
	id      int64 // of a dictionary
	delta   bool  // it adds to what came before
	batch   flat  // where the arrays are, of a record batch or a dictionary
	codec   codec
}

// metadataOf is what is framed by its length: of the newer and of the older form.
func metadataOf(framed []byte) []byte {
	prefix, n := 4, binary.LittleEndian.Uint32(framed)
	if n == continuation {
		prefix, n = 8, binary.LittleEndian.Uint32(framed[4:])
	}
	hold(n >= 8 && int64(n) <= int64(len(framed)-prefix), "the message's metadata is longer than the footer says")
	return framed[prefix : prefix+int(n)]
}

// newMessage reads and checks metadata.
func newMessage(meta []byte) *message {
	t := root(meta)
	m := &message{meta: meta, kind: ipc.MessageType(t.number(1, 1)), version: int(int16(t.number(0, 2))),
		body: int64(t.number(3, 8)), codec: none}
	holdVersion(m.version)
	head, ok := t.sub(2)
	hold(ok && m.body >= 0, "the message has no header")
	t.pairs(4)
	switch m.batch = head; m.kind {
	case ipc.MessageSchema:
		return m
	case ipc.MessageDictionaryBatch:
		m.id, m.delta = int64(head.number(0, 8)), head.number(2, 1) != 0
		m.version = v4 // as which arrow-go reads all dictionaries
		m.batch, ok = head.sub(1)
		hold(ok, "the dictionary has no values")
	case ipc.MessageRecordBatch:
	default:
		hold(false, "a message is neither a record batch nor a dictionary")
	}
	m.rows = int64(m.batch.number(0, 8))
	hold(m.rows >= 0 && m.rows <= 1<<48, "an impossible number of rows")
	if c, ok := m.batch.sub(3); ok {
		m.codec = codec(c.number(0, 1))
		hold((m.codec == lz4Frame || m.codec == zstandard) && c.number(1, 1) == 0, "an unknown kind of compression")
	}
	at, n := m.batch.vector(2, 16)
	for free := m.body; n > 0; n, at = n-1, at+16 {
		off, size := m.pair(at)
		hold(off >= 0 && size >= 0 && size <= m.body && off <= m.body-size, "a buffer reaches beyond the message's body")
		free -= size
		hold(free >= 0, "two buffers overlap")
	}
	return m
}

func holdVersion(version int) {
	if version != v4 && version != v5 {
		panic(table.Errorf("write it again with Arrow 1.0 or later", "metadata version %d is not supported", version+1))
	}
}

// pair are two numbers: where a buffer is and its length, or the length of an array and how
// many of it are null.
func (m *message) pair(at int) (int64, int64) {
	return int64(binary.LittleEndian.Uint64(m.meta[at:])), int64(binary.LittleEndian.Uint64(m.meta[at+8:]))
}

// fit holds the message to the arrays that columns take: arrow-go reads as many, whatever
// stands there. It is how many nulls each says it has. Those that are not taken, none where that
// is nil, become empty, and with them the record batch, whose columns tell their lengths.
func (m *message) fit(columns []tally, taken []bool) (nulls []int64) {
	node, nodes := m.batch.vector(1, 16)
	buffer, buffers := m.batch.vector(2, 16)
	view, views := m.batch.vector(4, 8)
	for i, c := range columns {
		nodes, views = nodes-c.nodes, views-c.views
		hold(nodes >= 0 && views >= 0, "fewer arrays than the schema has")
		count := c.buffers + c.valid*(v5-m.version)
		for range c.views {
			more := binary.LittleEndian.Uint64(m.meta[view:])
			hold(more <= uint64(buffers), "an impossible number of view buffers")
			count, view = count+int(more), view+8
		}
		buffers -= count
		hold(buffers >= 0, "fewer buffers than the schema takes")
		rows, none := m.pair(node)
		hold(rows == m.rows, "a column of %d rows in a message of %d", rows, m.rows)
		nulls = append(nulls, none)
		if taken == nil || !taken[i] {
			clear(m.meta[node : node+16*c.nodes])
			clear(m.meta[buffer : buffer+16*count])
		}
		node, buffer = node+16*c.nodes, buffer+16*count
	}
	hold(nodes+buffers+views == 0, "more arrays or buffers than the schema takes")
	if p := m.batch.slot(0); p != 0 && m.kind == ipc.MessageRecordBatch {
		clear(m.meta[p : p+8])
	}
	return nulls
}

// load reads the buffers of a body that starts at from into room, and within a budget. The
// message is changed to say where they are then: without compression, one behind the other.
func (m *message) load(body io.ReaderAt, from int64, room []byte, most *budget) (*ipc.Message, []byte, error) {
	at, n := m.batch.vector(2, 16)
	need := int64(0)
	for i := range n {
		_, size := m.pair(at + 16*i)
		need += (size + 15) &^ 7
	}
	room = slices.Grow(room[:0], int(need))
	var raw []byte
	for ; n > 0; n, at = n-1, at+16 {
		off, size := m.pair(at)
		start := len(room)
		switch {
		case size == 0:
		case m.codec == none:
			room = room[:start+int(size)]
			if err := readAt(body, room[start:], from+off); err != nil {
				return nil, room, err
			}
		default:
			raw = slices.Grow(raw[:0], int(size))[:size]
			if err := readAt(body, raw, from+off); err != nil {
				return nil, room, err
			}
			most.add(int64(claim(raw)))
			room = binary.LittleEndian.AppendUint64(room, ^uint64(0)) // rawPrefix
			room = m.codec.decompress(room, raw)
		}
		binary.LittleEndian.PutUint64(m.meta[at:], uint64(start))
		binary.LittleEndian.PutUint64(m.meta[at+8:], uint64(len(room)-start))
		room = append(room, make([]byte, -len(room)&7)...)
	}
	if c, ok := m.batch.sub(3); ok {
		if p := c.slot(0); p != 0 {
			m.meta[p] = byte(lz4Frame) // whose reader costs nothing where it reads nothing
		}
	}
	return ipc.NewMessage(memory.NewBufferBytes(m.meta), memory.NewBufferBytes(room)), room, nil
}

const (
	maxLength = 1 << 33 // cells of an array
	maxRatio  = 1 << 15 // how many times smaller compression makes a buffer: zstandard writes 2^17 bytes in 4
)

// plausible looks at the lengths of all arrays and of compressed buffers, in a body that starts at from.
func (m *message) plausible(body io.ReaderAt, from int64) error {
	at, n := m.batch.vector(1, 16)
	for ; n > 0; n, at = n-1, at+16 {
		rows, nulls := m.pair(at)
		hold(rows >= 0 && rows <= maxLength && nulls >= 0 && nulls <= rows, "an array of an impossible length")
	}
	if m.codec == none {
		return nil
	}
	at, n = m.batch.vector(2, 16)
	for ; n > 0; n, at = n-1, at+16 {
		off, size := m.pair(at)
		head := make([]byte, min(size, 8))
		if err := readAt(body, head, from+off); err != nil {
			return err
		}
		hold(size == 0 || int64(claim(head)) <= maxRatio*size, "a compressed buffer of impossible length")
	}
	return nil
}
