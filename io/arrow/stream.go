package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/table"
)

// A Stream is an Arrow IPC stream. It is read once, and what becomes of each record batch
// is written before the next one is read.
type Stream struct {
	*File
	stream  *sequence
	before  int64 // rows before the record batch at hand
	batches int   // before it
}

// OpenStream reads the schema of a stream, of which no column is chosen yet.
func OpenStream(from io.Reader) (*Stream, error) {
	s := &Stream{stream: &sequence{from: from}, File: &File{source: &source{codec: none}}}
	m, err := s.stream.next()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, s.stream.short()
	}
	err = guarded("reading the schema", func() error {
		s.schema = newSchema(m.meta, m.batch)
		return s.Choose(table.Request{})
	})
	return s, err
}

// Choose takes the columns of r.
func (s *Stream) Choose(r table.Request) error {
	a, err := choose(s.source, r)
	if err == nil {
		s.File = a
	}
	return err
}

// TypeOf is the type of a private column's values, by its place.
func (s *Stream) TypeOf(i int) table.Type { return s.private[i].Type }

// Rewrite is that of a file, in the order of the rows; finish has the last word before
// the stream is marked as whole. Where any of it fails, what is written ends within a
// message, so that no reader takes it for a whole stream.
func (s *Stream) Rewrite(ctx context.Context, to io.Writer, in, out []*table.Alphabet, f func(table.Batch) error,
	finish func() error) error {
	output, err := s.outputs(out)
	if err != nil {
		return err
	}
	begun := &sink{to: to}
	w, err := s.records(ctx, begun, in, output, f)
	if err == nil {
		err = finish()
	}
	if err == nil {
		err = guarded("writing the stream", w.Close)
	} else if begun.n > 0 {
		mark := binary.LittleEndian.AppendUint32(nil, continuation)
		_, torn := to.Write(binary.LittleEndian.AppendUint32(mark, 8)) // the length of a message that does not follow
		err = errors.Join(err, torn)
	}
	return err
}

// records writes what becomes of all record batches. Their compression is that of the first.
func (s *Stream) records(ctx context.Context, to io.Writer, in []*table.Alphabet, output []*outputColumn,
	f func(table.Batch) error) (w *ipc.Writer, err error) {
	r, err := newReader(s.schema, s.taken(true))
	if err != nil {
		return nil, err
	}
	schema, last, room := s.outputSchema(output), map[int]arrow.Array{}, []byte(nil)
	for {
		m, err := s.stream.next()
		if err != nil {
			return nil, err
		}
		if m != nil && m.kind == ipc.MessageDictionaryBatch {
			if err := r.dictionary(m, bytes.NewReader(s.stream.body), 0); err != nil {
				return nil, table.Within(err, "a dictionary before record batch %d", s.batches)
			}
			continue
		}
		if w == nil {
			if m != nil {
				s.codec = m.codec
			}
			w = ipc.NewWriter(to, s.options(schema, 1)...)
		}
		if m == nil {
			return w, nil
		}
		if m.kind != ipc.MessageRecordBatch {
			return nil, faultf("it has a message that is neither a record batch nor a dictionary")
		}
		b := &batch{rows: m.rows, row: s.before}
		b.columns, room, err = r.record(m, bytes.NewReader(s.stream.body), 0, room, s.budget(m, 1))
		if err != nil {
			return nil, table.Within(err, "record batch %d", s.batches)
		}
		written, err := s.redrawn(ctx, b, last, schema, in, output, f)
		if err != nil {
			return nil, err
		}
		if err := write(w, written); err != nil {
			return nil, err
		}
		s.before, s.batches = s.before+m.rows, s.batches+1
	}
}

// redrawn is what becomes of a record batch; last are the dictionaries that its columns had
// before.
func (s *Stream) redrawn(ctx context.Context, b *batch, last map[int]arrow.Array, schema *arrow.Schema,
	in []*table.Alphabet, output []*outputColumn, f func(table.Batch) error) (arrow.RecordBatch, error) {
	if err := b.begin(s.private, s.beside); err != nil {
		return nil, err
	}
	for _, c := range s.private {
		if b.columns[c.Top].NullN() != 0 && !c.field.Nullable {
			return nil, table.Errorf("", "column %q, record batch %d: nulls, which its schema excludes", c.Name, s.batches)
		}
	}
	written, err := s.written(ctx, b, s.batches, schema, in, output, f)
	if err != nil {
		return nil, err
	}
	for i, c := range written.Columns() {
		if d, ok := c.(*array.Dictionary); ok {
			if last[i] != nil && blurred(last[i], d.Dictionary()) {
				return nil, faultf("column %q, record batch %d: numbers in its dictionary change by less than arrow-go sees",
					written.ColumnName(i), s.batches)
			}
			last[i] = d.Dictionary()
		}
	}
	return written, nil
}

// blurred reports whether arrow-go, to which floats are equal that are nearly so, would
// write no other dictionary where it should.
func blurred(was, is arrow.Array) bool {
	nan := array.WithNaNsEqual(true)
	return was.Data() != is.Data() && was.Len() == is.Len() && array.ApproxEqual(was, is, nan) &&
		!array.ApproxEqual(was, is, nan, array.WithAbsTolerance(0))
}

// Written is what was written: rows, in so many record batches.
func (s *Stream) Written() (rows int64, batches int) { return s.before, s.batches }
