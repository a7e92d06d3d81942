package splice

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// copies is how often the values of a file stand in memory while it is shuffled:
// as they were read, one column after the other in one piece and in its new order,
// and as they are written.
const copies = 4

// Shuffled writes all record batches anew, by arrow-go. A dictionary has the values
// that come, in the order in which the shuffled rows bring them.
func (a *File) Shuffled(ctx context.Context, order []uint32, most int64) (_ table.Input, err error) {
	defer func() {
		if recover() != nil { // what it says may quote data
			err = notShuffled(nil)
		}
	}()
	codec, err := a.mayShuffle(most)
	if err != nil {
		return nil, err
	}
	r, err := ipc.NewFileReader(io.NewSectionReader(a.raw.In, 0, a.size), ipc.WithMetadataSizeLimit(a.size),
		ipc.WithBodySizeLimit(a.size))
	if err != nil {
		return nil, notShuffled(err)
	}
	defer r.Close()
	pieces := make([][]arrow.Array, len(r.Schema().Fields()))
	for i := range r.NumRecords() {
		rows, err := r.RecordBatchAt(i)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, notShuffled(err)
		}
		for c := range pieces {
			pieces[c] = append(pieces[c], rows.Column(c))
		}
	}
	columns := make([]arrow.Array, len(pieces))
	for i := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if columns[i], err = inOrder(pieces[i], order); err != nil {
			f := &a.raw.Schema.Fields[i]
			return nil, &table.InputError{Err: err,
				What: fmt.Sprintf("column %q is of type %s, which --shuffle cannot write in another order", f.Name, f),
				Hint: "leave it out with another program, or shuffle the file with one"}
		}
		pieces[i] = nil
	}
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, append(codec, ipc.WithSchema(r.Schema()))...)
	if err != nil {
		return nil, notShuffled(err)
	}
	for from := 0; from < len(order); from += table.ShuffledRows {
		to := min(from+table.ShuffledRows, len(order))
		part := make([]arrow.Array, len(columns))
		for i, c := range columns {
			part[i] = array.NewSlice(c, int64(from), int64(to))
		}
		if err := errors.Join(ctx.Err(), w.Write(array.NewRecordBatch(r.Schema(), part, int64(to-from)))); err != nil {
			return nil, notShuffled(err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, notShuffled(err)
	}
	return table.InMemory(out.Bytes()), nil
}

// mayShuffle refuses what takes too much memory, and gives the codec of the file.
func (a *File) mayShuffle(most int64) (codec []ipc.Option, err error) {
	need := 2*a.size + copies*dictionaryBytes(a.raw.Dicts)
	for i := range a.raw.Batches {
		b, err := a.raw.Batch(i)
		if err != nil {
			return nil, inputError(err)
		}
		switch b.Codec {
		case batch.LZ4Frame:
			codec = []ipc.Option{ipc.WithLZ4()}
		case batch.ZSTD:
			codec = []ipc.Option{ipc.WithZstd()}
		}
		for _, c := range b.Columns {
			for _, span := range c.Buffers {
				n := span.Len
				if b.Codec != batch.None && n >= 8 {
					head, err := batch.ReadAt(a.raw.In, span.Offset, 8)
					if err != nil {
						return nil, inputError(err)
					}
					if long := int64(binary.LittleEndian.Uint64(head)); long != batch.RawPrefix {
						n = max(long, n)
					}
				}
				need += copies * n
			}
		}
	}
	return codec, table.Fits(need, most)
}

func dictionaryBytes(of []batch.Dictionary) (n int64) {
	for _, d := range of {
		n += d.Block.Body
	}
	return n
}

// notShuffled is what arrow-go could not do. Its text may quote data.
func notShuffled(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &table.InputError{What: "its record batches cannot be read or written by arrow-go, as --shuffle does",
		Hint: "shuffle the file with another program first", Err: err}
}
