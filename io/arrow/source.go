package arrow

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/table"
)

// A file starts and ends with magic, at the start padded to headSize bytes.
const (
	magic    = "ARROW1"
	headSize = 8
	tailSize = 10 // footer length and magic
)

// A block is where a message stands in a file: its metadata with the length before it,
// then its body.
type block struct {
	at, meta, body int64
	kind           ipc.MessageType
	number         int // among those of its kind
}

// A source is a file whose footer was read and checked.
type source struct {
	in      io.ReaderAt
	schema  *schema
	batches []block
	dicts   []block
	rows    []int64      // of every record batch; of a stream none
	nulls   map[int]bool // columns that have some; of a stream none
	codec   codec        // of the last record batch
}

// openSource reads the footer of a file of size bytes.
func openSource(in io.ReaderAt, size int64) (s *source, err error) {
	defer table.Guard("reading the footer", &err)
	footer, end, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	t := root(footer)
	holdVersion(int(int16(t.number(0, 2))))
	fields, ok := t.sub(1)
	hold(ok, "the footer has no schema")
	s = &source{in: in, nulls: map[int]bool{}, codec: none, dicts: readBlocks(t, 2, ipc.MessageDictionaryBatch),
		batches: readBlocks(t, 3, ipc.MessageRecordBatch)}
	holdBlocks(slices.Concat(s.dicts, s.batches), end)
	// A message in front of the footer, whose header is the schema in it: offset of the
	// table, its layout (version, kind, header), the table.
	meta := append([]byte{16, 0, 0, 0, 10, 0, 12, 0, 4, 0, 6, 0, 8, 0, 0, 0, 12, 0, 0, 0, v5, 0, byte(ipc.MessageSchema),
		0, 0, 0, 0, 0, 0, 0, 0, 0}, footer...)
	const front, header = 32, 24
	binary.LittleEndian.PutUint32(meta[header:], uint32(front+fields.pos-header))
	whole, _ := root(meta).sub(2)
	s.schema = newSchema(meta, whole)
	return s, nil
}

// readFooter returns the footer's bytes and where they start in the file.
func readFooter(in io.ReaderAt, size int64) ([]byte, int64, error) {
	hold(size >= headSize+tailSize, "the file is too short (%d bytes)", size)
	head, tail := make([]byte, len(magic)), make([]byte, tailSize)
	if err := errors.Join(readAt(in, head, 0), readAt(in, tail, size-tailSize)); err != nil {
		return nil, 0, err
	}
	hold(string(head) == magic && string(tail[4:]) == magic,
		"the file does not start and end with ARROW1: it is cut short or no Arrow IPC file")
	n := int64(int32(binary.LittleEndian.Uint32(tail)))
	hold(n >= 8 && n <= maxMetadata && n <= size-headSize-tailSize,
		"the footer's length of %d bytes is impossible or above %d", n, maxMetadata)
	footer := make([]byte, n)
	start := size - tailSize - n
	return footer, start, readAt(in, footer, start)
}

func readBlocks(t flat, slot int, kind ipc.MessageType) []block {
	from, n := t.vector(slot, 24)
	list := make([]block, n)
	for i := range list {
		b := t.buf[from+24*i:]
		list[i] = block{int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:]))),
			int64(binary.LittleEndian.Uint64(b[16:])), kind, i}
	}
	return list
}

// holdBlocks makes sure that blocks are aligned, before the footer, and apart.
func holdBlocks(list []block, end int64) {
	slices.SortFunc(list, func(a, b block) int { return cmp.Compare(a.at, b.at) })
	free := int64(headSize)
	for _, b := range list {
		hold(b.at%8 == 0 && b.meta%8 == 0 && b.body%8 == 0, "the message at byte %d is not aligned to 8 bytes", b.at)
		hold(b.meta >= 8 && b.meta <= maxMetadata && b.body >= 0, "the message at byte %d has an impossible length", b.at)
		hold(b.at >= free, "the message at byte %d overlaps another", b.at)
		hold(b.at <= end-b.meta && b.body <= end-b.meta-b.at, "the message at byte %d reaches beyond the file", b.at)
		free = b.at + b.meta + b.body
	}
}

// heads reads the heads of all messages.
func (s *source) heads() error {
	first := map[int64]bool{}
	return s.each(slices.Concat(s.dicts, s.batches), func(b block, m *message) error {
		if b.kind == ipc.MessageRecordBatch {
			s.rows, s.codec = append(s.rows, m.rows), m.codec
			for top, n := range m.fit(s.schema.columns, nil) {
				s.nulls[top] = s.nulls[top] || n != 0
			}
			return nil
		}
		hold(m.delta || !first[m.id], "the dictionary is replaced within the file")
		first[m.id] = true
		if values, known := s.schema.values[m.id]; known && m.fit([]tally{values}, nil)[0] != 0 {
			for top, c := range s.schema.columns {
				s.nulls[top] = s.nulls[top] || len(c.ids) > 0 && c.ids[0] == m.id
			}
		}
		return nil
	})
}

// each reads the metadata of messages, and gives them to f.
func (s *source) each(list []block, f func(b block, m *message) error) error {
	for _, b := range list {
		err := guarded("reading a message", func() error {
			m, err := s.message(b)
			if err == nil {
				err = f(b, m)
			}
			return err
		})
		if err != nil {
			return table.Within(err, "%s %d", map[bool]string{true: "dictionary message", false: "record batch"}[b.kind ==
				ipc.MessageDictionaryBatch], b.number)
		}
	}
	return nil
}

// message reads the metadata of a message.
func (s *source) message(b block) (*message, error) {
	framed := make([]byte, b.meta)
	if err := readAt(s.in, framed, b.at); err != nil {
		return nil, err
	}
	m := newMessage(metadataOf(framed))
	hold(m.kind == b.kind, "the message is no %s", b.kind)
	hold(m.body <= b.body, "the message's body is longer than the footer says")
	return m, nil
}

// reader decodes the columns that are taken, with all dictionaries that they use.
func (s *source) reader(taken []bool) (*reader, error) {
	r, err := newReader(s.schema, taken)
	if err != nil {
		return nil, err
	}
	return r, s.each(s.dicts, func(b block, m *message) error { return r.dictionary(m, s.in, b.at+b.meta) })
}

// A sequence is a stream that is read message by message.
type sequence struct {
	from io.Reader
	body []byte // of the last message
	some bool   // the schema was read
}

// next reads a message, nil at the end-of-stream marker. A stream that ends without one is
// an error: whoever wrote it may have died.
func (s *sequence) next() (m *message, err error) {
	defer table.Guard("reading a message", &err)
	const hint = "write an Arrow IPC stream, and name a file of any other format by its path"
	head, err := s.read(nil, 4)
	if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head)
	if n == continuation {
		if head, err = s.read(nil, 4); err != nil {
			return nil, err
		}
		n = binary.LittleEndian.Uint32(head)
	}
	switch {
	case n == 0:
		return nil, nil
	case n < 8 || n > maxMetadata:
		return nil, table.Errorf(hint, "a message has an impossible length")
	}
	meta, err := s.read(nil, int64(n))
	if err != nil {
		return nil, err
	}
	m = newMessage(meta)
	if !s.some && m.kind != ipc.MessageSchema {
		return nil, table.Errorf(hint, "it does not begin with a schema")
	}
	s.some = true
	s.body, err = s.read(s.body[:0], m.body)
	return m, err
}

// read appends n bytes of the stream. Memory is taken as they come, since nothing but the
// stream says that there are as many.
func (s *sequence) read(data []byte, n int64) ([]byte, error) {
	to := bytes.NewBuffer(data)
	_, err := io.CopyN(to, s.from, n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, s.short()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the stream: %w", err)
	}
	return to.Bytes(), nil
}

func (s *sequence) short() error {
	const hint = "look at the program that writes it: it may have failed"
	if !s.some {
		return table.Errorf(hint, "it ends before its schema")
	}
	return table.Errorf(hint, "it ends without an end-of-stream marker")
}
