package splice

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// A Stream is an Arrow IPC stream. It is read once, and what becomes of each record
// batch is written before the next one is read.
type Stream struct {
	*File   // of the dictionaries that are in use
	stream  *batch.Stream
	batches int
}

// OpenStream reads the schema of a stream, of which no column is chosen yet.
func OpenStream(from io.Reader) (*Stream, error) {
	raw, err := batch.OpenStream(from)
	if err != nil {
		return nil, inputError(err)
	}
	s := &Stream{stream: raw}
	return s, s.Choose(table.Request{})
}

// Choose takes the columns of r.
func (s *Stream) Choose(r table.Request) error {
	a, err := choose(&s.stream.File, r)
	if err == nil {
		if s.File != nil {
			a.before = s.File.before
		}
		s.File = a
	}
	return err
}

// TypeOf is the type of a private column's values, by its place.
func (s *Stream) TypeOf(i int) table.Type { return s.private[i].Type }

// Rewrite is that of a file, in the order of the rows; end has the last word before
// the stream is marked as whole. Where any of it fails, what is written ends within a
// message, so that no reader takes it for a whole stream.
func (s *Stream) Rewrite(ctx context.Context, to io.Writer, in, out []*table.Alphabet, f func(table.Batch) error,
	end func() error) error {
	output, err := s.outputs(out)
	if err != nil {
		return err
	}
	w := &Writer{in: s.raw, schema: s.schema(output), align: 64}
	head := w.schemaMessage()
	w.pos = w.padded(8 + int64(len(head)))
	w.out = &sequence{to: to, at: w.pos}
	if _, err := to.Write(frame(head, w.pos)); err != nil {
		return err
	}
	if err = s.messages(ctx, w, in, output, f); err == nil {
		err = end()
	}
	if err != nil {
		return errors.Join(err, w.mark(8))
	}
	return w.mark(0)
}

// mark writes the length of a message that does not follow: 0 is the mark of the end.
func (w *Writer) mark(length uint32) error {
	mark := binary.LittleEndian.AppendUint32(nil, batch.Continuation)
	_, err := w.out.WriteAt(binary.LittleEndian.AppendUint32(mark, length), w.pos)
	return err
}

// messages writes what becomes of dictionaries and record batches.
func (s *Stream) messages(ctx context.Context, w *Writer, in []*table.Alphabet, output []*outputColumn,
	f func(table.Batch) error) error {
	kept := s.keptDictionaries()
	for first := true; ; first = false {
		kind, err := s.stream.Next()
		if kind == 0 || err != nil {
			return inputError(err)
		}
		if first { // a reader asks for all dictionaries or, of an empty stream, for none
			if err := ownDictionaries(ctx, w, output); err != nil {
				return err
			}
		}
		if kind == batch.KindDictionary {
			err = s.dictionaryMessage(ctx, w, kept)
		} else {
			err = s.batchMessage(ctx, w, in, output, f)
		}
		if err != nil {
			return err
		}
	}
}

// dictionaryMessage copies the last dictionary where a kept column uses it, and looks
// its values up anew where a private one does.
func (s *Stream) dictionaryMessage(ctx context.Context, w *Writer, kept map[int64]bool) error {
	d := s.raw.Dicts[len(s.raw.Dicts)-1]
	b, err := s.raw.Dictionary(d)
	if err != nil {
		return inputError(fmt.Errorf("a dictionary before record batch %d: %w", s.batches, err))
	}
	if kept[d.ID] {
		if err := w.Dictionary(d.ID, d.Delta, Keep(b)).Write(ctx); err != nil {
			return err
		}
		w.dicts = w.dicts[:0]
	}
	return s.Choose(s.request)
}

func (s *Stream) batchMessage(ctx context.Context, w *Writer, in []*table.Alphabet, output []*outputColumn,
	f func(table.Batch) error) error {
	b, err := s.raw.Batch(0)
	if err != nil {
		return inputError(fmt.Errorf("record batch %d: %w", s.batches, err))
	}
	for _, c := range s.private {
		if b.Columns[c.Top].Nodes[0].Nulls != 0 && !c.field.Nullable {
			return table.Errorf("", "column %q, record batch %d: nulls, which its schema excludes", c.Name, s.batches)
		}
	}
	n, err := s.newBatch(ctx, b, s.batches, in, output, f)
	if err != nil {
		return err
	}
	if err := w.Batch(n).Write(ctx); err != nil {
		return err
	}
	w.blocks = w.blocks[:0] // which a footer would list
	s.before, s.batches = s.before+b.Rows, s.batches+1
	return nil
}

// Written is what was written: rows, in so many record batches.
func (s *Stream) Written() (rows int64, batches int) { return s.before, s.batches }

// A sequence is an output of bytes that come in their order.
type sequence struct {
	to io.Writer
	at int64
}

func (s *sequence) WriteAt(b []byte, off int64) (int, error) {
	if off != s.at {
		return 0, fmt.Errorf("byte %d is written after byte %d", off, s.at)
	}
	n, err := s.to.Write(b)
	s.at += int64(n)
	return n, err
}

// Truncate is for files.
func (s *sequence) Truncate(int64) error { return errors.ErrUnsupported }

// Fd is for files.
func (s *sequence) Fd() (uintptr, bool) { return 0, false }
