package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
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
	for i, b := range slices.Concat(a.dicts, a.batches) {
		kind := ipc.MessageRecordBatch
		if i < len(a.dicts) {
			kind = ipc.MessageDictionaryBatch
		}
		m, err := a.message(b, kind)
		if err != nil {
			return nil, err
		}
		plain, err := m.plain(a.source, b)
		if err != nil {
			return nil, err
		}
		need += copies * plain
	}
	if err := table.Fits(need, most); err != nil {
		return nil, err
	}
	r, err := a.reader(slices.Repeat([]bool{true}, len(a.role)))
	if err != nil {
		return nil, err
	}
	pieces := make([][]arrow.Array, len(a.role))
	for unit := range a.batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, _, err := a.load(r, unit, nil)
		if err != nil {
			return nil, err
		}
		for c := range pieces {
			pieces[c] = append(pieces[c], rec.Column(c))
		}
	}
	columns := make([]arrow.Array, len(pieces))
	for i := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := guarded("shuffling a column", func() (err error) {
			columns[i], err = inOrder(pieces[i], order)
			return err
		})
		if err != nil && !errors.As(err, new(*table.InputError)) {
			f := a.schema.arrow.Field(i)
			err = &table.InputError{Err: err,
				What: fmt.Sprintf("column %q is of type %s, which --shuffle cannot write in another order", f.Name,
					typeName(f.Type)),
				Hint: "leave it out with another program, or shuffle the file with one"}
		}
		if err != nil {
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
	for from := 0; from < rows; from += table.ShuffledRows {
		to := min(from+table.ShuffledRows, rows)
		part := make([]arrow.Array, len(columns))
		for i, c := range columns {
			part[i] = array.NewSlice(c, int64(from), int64(to))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := write(w, array.NewRecordBatch(s, part, int64(to-from))); err != nil {
			return nil, err
		}
	}
	err = guarded("writing the footer", w.Close)
	return table.InMemory(out.Bytes()), err
}

// plain is how many bytes the buffers of a message have without compression, as they say.
func (m *message) plain(s *source, b block) (n int64, err error) {
	defer guard("reading a message", &err)
	at, buffers := m.batch.vector(2, 16)
	head := make([]byte, 8)
	for i := range buffers {
		off, size := m.pair(at + 16*i)
		if m.codec != none && size >= 8 {
			if err := readAt(s.in, head, b.at+b.meta+off); err != nil {
				return 0, err
			}
			size = max(size, min(int64(binary.LittleEndian.Uint64(head)), maxBuffer))
		}
		n += size
	}
	return n, nil
}
