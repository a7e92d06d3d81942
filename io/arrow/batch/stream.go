package batch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Stream is an Arrow IPC stream, which is read once, message by message. Of what it
// was, it holds the last record batch and the dictionaries that are in use: these are
// a File, in which offsets are places in the stream.
type Stream struct {
	File // with one record batch at most

	from io.Reader
	at   int64 // of the next message
	held held
	room []byte // of the last record batch, for the next one
}

// held are the messages that are held, by their place in the stream.
type held []struct {
	at   int64
	data []byte
}

// OpenStream reads the first message, the schema.
func OpenStream(from io.Reader) (*Stream, error) {
	s := &Stream{from: from}
	s.In = &s.held
	b, kind, err := s.message(nil)
	switch {
	case err != nil:
		return nil, err
	case b == nil || kind != KindSchema:
		return nil, &Error{What: "it does not begin with a schema", Hint: noStream}
	}
	if err := s.schema(*b); err != nil {
		return nil, err
	}
	s.held = nil
	return s, nil
}

func (s *Stream) schema(b Block) (err error) {
	defer Guard("reading the schema", &err)
	m, err := s.File.message(b)
	if err != nil {
		return err
	}
	s.Version = m.version
	if s.Schema, err = ReadSchema(m.header); err != nil {
		return err
	}
	for i := range s.Schema.Fields {
		s.field = append(s.field, &s.Schema.Fields[i])
	}
	s.value, err = dictionaryValues(s.Schema)
	return err
}

// Next reads the next message. It is KindBatch where that is the record batch of the
// file from now on, KindDictionary where it is the last of its dictionaries, and 0 at
// the end-of-stream marker. A stream that ends without one is an error: whoever wrote
// it may have died.
func (s *Stream) Next() (kind byte, err error) {
	if len(s.Batches) > 0 {
		s.forget(s.Batches[0])
		s.Batches = s.Batches[:0]
	}
	b, kind, err := s.message(s.room)
	if b == nil || err != nil {
		return 0, err
	}
	switch kind {
	case KindBatch:
		s.Batches = append(s.Batches, *b)
		s.room = s.held[len(s.held)-1].data
	case KindDictionary:
		d, err := s.dictionaryHead(*b)
		if err != nil {
			return 0, err
		}
		s.room = nil // which the dictionary has taken
		if !d.Delta {
			s.Dicts = slices.DeleteFunc(s.Dicts, func(old Dictionary) bool {
				if old.ID == d.ID {
					s.forget(old.Block)
				}
				return old.ID == d.ID
			})
		}
		s.Dicts = append(s.Dicts, d)
	default:
		return 0, Errorf("it has a message that is neither a record batch nor a dictionary")
	}
	return kind, nil
}

// message reads one message into room, nil at the end-of-stream marker.
func (s *Stream) message(room []byte) (*Block, byte, error) {
	data, err := s.read(room[:0], 4)
	if err != nil {
		return nil, 0, err
	}
	n := binary.LittleEndian.Uint32(data)
	if n == Continuation {
		if data, err = s.read(data, 4); err != nil {
			return nil, 0, err
		}
		n = binary.LittleEndian.Uint32(data[4:])
	}
	switch {
	case n == 0:
		return nil, 0, nil
	case n < 8 || n > maxMetadata:
		return nil, 0, &Error{What: "a message has an impossible length", Hint: noStream}
	}
	head := len(data)
	if data, err = s.read(data, int64(n)); err != nil {
		return nil, 0, err
	}
	b := &Block{Offset: s.at, Meta: int64(len(data))}
	var kind byte
	if kind, b.Body, err = headOf(data[head:]); err != nil {
		return nil, 0, err
	}
	if data, err = s.read(data, b.Body); err != nil {
		return nil, 0, err
	}
	s.held = append(s.held, struct {
		at   int64
		data []byte
	}{s.at, data})
	s.at += int64(len(data))
	return b, kind, nil
}

const noStream = "write an Arrow IPC stream, and name a file of any other format by its path"

// headOf is the kind of a message and the length of its body.
func headOf(metadata []byte) (kind byte, body int64, err error) {
	defer Guard("reading a message", &err)
	t := Root(metadata)
	if body = t.Int64(3); body < 0 {
		return 0, 0, Errorf("a message has an impossible length")
	}
	return t.Byte(1), body, nil
}

// read appends n bytes of the stream. Memory is taken as they come, since nothing but
// the stream says that there are as many.
func (s *Stream) read(data []byte, n int64) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		next := int(min(n, max(step, int64(len(data)))))
		data = slices.Grow(data, next)
		part := data[len(data) : len(data)+next]
		if _, err := io.ReadFull(s.from, part); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, s.short()
			}
			return nil, fmt.Errorf("reading the stream: %w", err)
		}
		data, n = data[:len(data)+next], n-int64(next)
	}
	return data, nil
}

func (s *Stream) short() error {
	const hint = "look at the program that writes it: it may have failed"
	if s.Schema == nil {
		return &Error{What: "it ends before its schema", Hint: hint}
	}
	return &Error{What: "it ends without an end-of-stream marker", Hint: hint}
}

func (s *Stream) forget(b Block) {
	for i, m := range s.held {
		if m.at == b.Offset {
			s.held = slices.Delete(s.held, i, i+1)
			return
		}
	}
}

// ReadAt reads of one message.
func (h *held) ReadAt(to []byte, off int64) (int, error) {
	for _, m := range *h {
		if from := off - m.at; from >= 0 && from < int64(len(m.data)) {
			n := copy(to, m.data[from:])
			if n < len(to) {
				return n, io.EOF
			}
			return n, nil
		}
	}
	return 0, io.EOF
}
