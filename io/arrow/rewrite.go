package arrow

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
)

// Rewrite writes the file by arrow-go. Record batches are worked on in parallel; each waits
// to be written until the one before is.
func (a *File) Rewrite(ctx context.Context, out publish.Output, in, to []*table.Alphabet,
	f func(table.Batch) error) error {
	output, err := a.outputs(to)
	if err != nil {
		return err
	}
	whole := &sink{to: io.NewOffsetWriter(out, 0)}
	buffered := bufio.NewWriterSize(whole, 1<<20)
	schema := a.outputSchema(output)
	w, err := ipc.NewFileWriter(buffered, a.options(schema, a.request.Workers())...)
	if err != nil {
		return err
	}
	err = table.EachInTurn(ctx, len(a.rows), a.request.Workers(), func(unit int, turn func() error) error {
		b, err := a.open(a.whole, unit, a.beside)
		if err != nil {
			return err
		}
		defer b.Close()
		written, err := a.written(ctx, b, unit, schema, in, output, f)
		if err == nil {
			err = turn()
		}
		if err == nil {
			err = write(w, written)
		}
		return err
	})
	if err == nil {
		err = guarded("writing the footer", w.Close)
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return err
	}
	return out.Truncate(whole.n)
}

// options are those of a writer: it compresses as the input does, which gives the same
// bytes with however many workers.
func (a *File) options(s *arrow.Schema, workers int) []ipc.Option {
	options := []ipc.Option{ipc.WithSchema(s), ipc.WithDictionaryDeltas(true), ipc.WithCompressConcurrency(workers)}
	switch a.codec {
	case lz4Frame:
		options = append(options, ipc.WithLZ4())
	case zstandard:
		options = append(options, ipc.WithZstd())
	}
	return options
}

// write writes a record batch. What arrow-go says of it may quote data.
func write(w interface{ Write(arrow.RecordBatch) error }, rec arrow.RecordBatch) error {
	err := guarded("writing a record batch", func() error { return w.Write(rec) })
	if err == nil || errors.As(err, new(*table.InputError)) || errors.As(err, new(*outputError)) {
		return err
	}
	return &table.InputError{What: "the columns of a record batch cannot be written by arrow-go",
		Hint: "write the file again, or drop columns of rare types", Err: err}
}

// placeBytes is what the place of an output takes in memory, for every row of a record batch.
const placeBytes = 8

// written hands out the letters of record batch unit, and is what becomes of it.
func (a *File) written(ctx context.Context, b *batch, unit int, s *arrow.Schema, in []*table.Alphabet,
	output []*outputColumn, f func(table.Batch) error) (arrow.RecordBatch, error) {
	at := make([][]int, len(output))
	for i := range at {
		at[i] = make([]int, 0, b.rows) // each of which takes a bit of the file at least
	}
	err := table.Hand(ctx, unit, b, a.columns, in, func(batch table.Batch) error {
		if err := f(batch); err != nil {
			return err
		}
		for i, o := range output {
			for _, letter := range batch.Letters[i] {
				place, err := o.place(letter)
				if err != nil {
					return err
				}
				at[i] = append(at[i], place)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var columns []arrow.Array
	for top, role := range a.Role {
		switch role {
		case table.Dropped:
		case table.Kept:
			columns = append(columns, b.columns[top])
		default:
			column, err := output[role].array(at[role])
			if err != nil {
				return nil, err
			}
			columns = append(columns, column)
		}
	}
	return array.NewRecordBatch(s, columns, b.rows), nil
}

// A sink is what arrow-go writes to.
type sink struct {
	to io.Writer
	n  int64 // bytes that were written
}

// An outputError is a failure to write.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	if s.n += int64(n); err != nil {
		err = &outputError{err}
	}
	return n, err
}
