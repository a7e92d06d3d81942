package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/table"
)

// copies is how often the values of a file stand in memory while it is shuffled: as they
// were read, one column after the other in one piece and in its new order, and as they are
// written.
const copies = 4

// Shuffled writes all record batches anew. A dictionary has the values that come, in the
// order in which the shuffled rows bring them.
func (a *File) Shuffled(ctx context.Context, order []uint32, most int64) (table.Input, error) {
	need := 2 * a.size
	err := a.each(slices.Concat(a.dicts, a.batches), func(b block, m *message) error {
		plain, err := m.plain(a.in, b.at+b.meta)
		need += copies * plain
		return err
	})
	if err = errors.Join(err, table.Fits(need, most)); err != nil {
		return nil, err
	}
	r, err := a.reader(slices.Repeat([]bool{true}, len(a.Role)))
	if err != nil {
		return nil, err
	}
	pieces := make([][]arrow.Array, len(a.Role))
	for unit := range a.batches {
		read, _, err := a.load(r, unit, nil)
		if err = errors.Join(ctx.Err(), err); err != nil {
			return nil, err
		}
		for i, c := range read {
			pieces[i] = append(pieces[i], c)
		}
	}
	columns := make([]arrow.Array, len(pieces))
	for i, f := range a.schema.arrow.Fields() {
		err := guarded("shuffling a column", func() (err error) {
			columns[i], err = inOrder(pieces[i], order)
			return err
		})
		if err != nil && !errors.As(err, new(*table.InputError)) {
			err = &table.InputError{Err: err, Hint: "leave it out with another program, or shuffle the file with one",
				What: fmt.Sprintf("column %q is of type %s, which --shuffle cannot write in another order", f.Name,
					typeName(f.Type))}
		}
		if err = errors.Join(ctx.Err(), err); err != nil {
			return nil, err
		}
		pieces[i] = nil
	}
	return a.inPieces(ctx, columns, len(order))
}

// inPieces is the file of these columns.
func (a *File) inPieces(ctx context.Context, columns []arrow.Array, rows int) (table.Input, error) {
	var out bytes.Buffer
	s := a.schema.arrow
	w, err := ipc.NewFileWriter(&out, a.options(s, a.request.Workers())...)
	if err != nil {
		return nil, err
	}
	whole := array.NewRecordBatch(s, columns, int64(rows))
	for from := 0; from < rows; from += table.ShuffledRows {
		piece := whole.NewSlice(int64(from), int64(min(from+table.ShuffledRows, rows)))
		if err := errors.Join(ctx.Err(), write(w, piece)); err != nil {
			return nil, err
		}
	}
	err = guarded("writing the footer", w.Close)
	return table.InMemory(out.Bytes()), err
}

// plain is how many bytes the buffers of a body that begins there have without compression, as
// they say.
func (m *message) plain(in io.ReaderAt, body int64) (n int64, err error) {
	at, buffers := m.batch.vector(2, 16)
	head := make([]byte, 8)
	for ; buffers > 0; buffers, at = buffers-1, at+16 {
		off, size := m.pair(at)
		if m.codec != none && size >= 8 {
			if err := readAt(in, head, body+off); err != nil {
				return 0, err
			}
			size = max(size, int64(claim(head)))
		}
		n += size
	}
	return n, nil
}
