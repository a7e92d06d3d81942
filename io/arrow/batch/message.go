package batch

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Kinds of a message: the union MessageHeader of Message.fbs.
const (
	KindSchema     = 1
	KindDictionary = 2
	KindBatch      = 3
)

// Continuation stands before the length of a message, since Arrow 0.15.
const Continuation = 0xffffffff

// A RecordBatch says where the arrays of a message are.
type RecordBatch struct {
	Version int16
	Rows    int64
	Codec   Codec
	Columns []Column
}

// A Column is one top-level array of a message with its children, in the order
// in which the message lists them.
type Column struct {
	Nodes    []Node
	Buffers  []Span
	Variadic []int64 // per view array, how many data buffers it has
}

// A Node is the length of an array and how many nulls it has.
type Node struct{ Rows, Nulls int64 }

// A Span is a run of bytes of the file.
type Span struct{ Offset, Len int64 }

// Batch reads the head of record batch i.
func (f *File) Batch(i int) (b *RecordBatch, err error) {
	defer Guard("reading a record batch", &err)
	m, err := f.message(f.Batches[i])
	if err != nil {
		return nil, err
	}
	if m.kind != KindBatch {
		return nil, Errorf("the message is not a record batch")
	}
	want := make([]Tally, len(f.field))
	for i, field := range f.field {
		want[i] = ArrayTally(field, m.version)
	}
	return m.recordBatch(m.header, f.Batches[i], want)
}

type message struct {
	version int16
	kind    byte
	header  FlatTable
	body    int64
}

func (f *File) message(b Block) (m message, err error) {
	buf, err := ReadAt(f.In, b.Offset, b.Meta)
	if err != nil {
		return m, err
	}
	prefix := 4
	n := binary.LittleEndian.Uint32(buf)
	if n == Continuation {
		prefix, n = 8, binary.LittleEndian.Uint32(buf[4:])
	}
	if n < 8 || int64(n) > b.Meta-int64(prefix) {
		return m, Errorf("the message's metadata is longer than the footer says")
	}
	t := Root(buf[prefix : prefix+int(n)])
	m = message{version: t.Int16(0, 0), kind: t.Byte(1), body: t.Int64(3)}
	if err := checkVersion(m.version); err != nil {
		return m, err
	}
	if m.body < 0 || m.body > b.Body {
		return m, Errorf("the message's body is longer than the footer says")
	}
	var ok bool
	if m.header, ok = t.Sub(2); !ok {
		return m, Errorf("the message has no header")
	}
	return m, nil
}

// recordBatch splits nodes and buffers between columns that take what want
// says, and checks that buffers are inside the body and apart.
func (m *message) recordBatch(t FlatTable, block Block, want []Tally) (*RecordBatch, error) {
	b := &RecordBatch{Version: m.version, Rows: t.Int64(0), Columns: make([]Column, len(want))}
	if b.Rows < 0 || b.Rows > 1<<48 {
		return nil, Errorf("an impossible number of rows")
	}
	var err error
	if b.Codec, err = readCodec(t); err != nil {
		return nil, err
	}
	node, buffer, variadic := t.Int64s(1, 2), t.Int64s(2, 2), t.Int64s(4, 1)
	spans, err := m.spans(buffer, block)
	if err != nil {
		return nil, err
	}
	for i, w := range want {
		if len(variadic) < w.Views || len(node) < 2*w.Nodes {
			return nil, Errorf("fewer arrays than the schema has")
		}
		c := &b.Columns[i]
		c.Variadic, variadic = variadic[:w.Views], variadic[w.Views:]
		buffers := int64(w.Buffers)
		for _, n := range c.Variadic {
			if n < 0 || n > int64(len(spans)) {
				return nil, Errorf("an impossible number of view buffers")
			}
			buffers += n
		}
		if buffers > int64(len(spans)) {
			return nil, Errorf("fewer buffers than the schema takes")
		}
		c.Buffers, spans = spans[:buffers], spans[buffers:]
		for range w.Nodes {
			c.Nodes = append(c.Nodes, Node{node[0], node[1]})
			node = node[2:]
		}
		if c.Nodes[0].Rows != b.Rows {
			return nil, Errorf("a column of %d rows in a message of %d", c.Nodes[0].Rows, b.Rows)
		}
	}
	if len(node)+len(spans)+len(variadic) > 0 {
		return nil, Errorf("more arrays or buffers than the schema takes")
	}
	return b, nil
}

func (m *message) spans(buffer []int64, block Block) ([]Span, error) {
	spans := make([]Span, len(buffer)/2)
	start := block.Offset + block.Meta
	sorted := true
	var end int64
	for i := range spans {
		off, n := buffer[2*i], buffer[2*i+1]
		if n == 0 {
			continue
		}
		if off < 0 || n < 0 || off > m.body-n {
			return nil, Errorf("a buffer reaches beyond the message's body")
		}
		spans[i] = Span{start + off, n}
		sorted = sorted && off >= end
		end = off + n
	}
	if sorted {
		return spans, nil
	}
	byOffset := slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return cmp.Compare(a.Offset, b.Offset) })
	for i, s := range byOffset[1:] {
		if before := byOffset[i]; before.Offset+before.Len > s.Offset {
			return nil, Errorf("two buffers overlap")
		}
	}
	return spans, nil
}

func readCodec(t FlatTable) (Codec, error) {
	sub, ok := t.Sub(3)
	if !ok {
		return None, nil
	}
	c := Codec(sub.Byte(0))
	if c != LZ4Frame && c != ZSTD || sub.Byte(1) != 0 {
		return None, Errorf("an unknown kind of compression")
	}
	return c, nil
}

// A Codec is how the buffers of a message are compressed.
type Codec int8

// The codecs of Message.fbs, and none.
const (
	None Codec = iota - 1
	LZ4Frame
	ZSTD
)

// RawPrefix stands in place of the length of a buffer that is stored as it is.
const RawPrefix = -1
