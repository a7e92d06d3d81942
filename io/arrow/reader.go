package arrow

import (
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A queue has the messages that arrow-go reads next.
type queue struct{ list []*ipc.Message }

// Message is the next one.
func (q *queue) Message() (*ipc.Message, error) {
	if len(q.list) == 0 {
		return nil, io.EOF
	}
	m := q.list[0]
	q.list = q.list[1:]
	return m, nil
}

// Retain and Release do nothing: messages are garbage once they are read.
func (q *queue) Retain() {}

// Release does nothing.
func (q *queue) Release() {}

// A reader decodes some columns of record batches, and the dictionaries that they use. It
// may be used by several goroutines at once.
type reader struct {
	schema *schema
	taken  []bool
	at     []int // of every column: its place in a record batch; -1 where it is not taken
	uses   map[int64]bool
	sync.Mutex
	queue queue
	ipc   *ipc.Reader
	dicts budget                                 // of all dictionaries
	exact [2]map[arrow.ArrayData]arrow.ArrayData // dictionaries of this record batch, and of the one before
}

// newReader decodes the columns that are taken.
func newReader(s *schema, taken []bool) (r *reader, err error) {
	defer guard("reading the schema", &err)
	r = &reader{schema: s, taken: taken, uses: map[int64]bool{}, dicts: budget{most: unlikely / 4}}
	columns, n := make([]tally, len(taken)), 0
	for i, taken := range taken {
		columns[i].taken = taken
		r.at = append(r.at, -1)
		if taken {
			r.at[i], n = n, n+1
			for _, id := range s.ids[i] {
				r.uses[id] = true
			}
		}
	}
	r.queue.list = append(r.queue.list, s.message(columns))
	if r.ipc, err = ipc.NewReaderFromMessageReader(&r.queue); err != nil {
		err = faultf("its schema cannot be decoded")
	}
	return r, err
}

// dictionary takes a dictionary that the next record batch may use.
func (r *reader) dictionary(m *message, body io.ReaderAt, from int64) (err error) {
	defer guard("reading a dictionary", &err)
	if !r.uses[m.id] {
		return nil
	}
	r.dicts.stored += m.body
	values := tally{taken: true} // of which arrow-go reads as many as the schema has, whatever stands there
	values.add(r.schema.values[m.id], m.version)
	whole, _, err := m.load([]tally{values}, body, from, nil, &r.dicts)
	r.queue.list = append(r.queue.list, whole)
	return err
}

// record decodes a record batch whose buffers are read into room: it is good until room is
// used again. All its arrays have its length and exact buffers.
func (r *reader) record(m *message, body io.ReaderAt, from int64, room []byte, most *budget) (_ arrow.RecordBatch,
	_ []byte, err error) {
	defer guard("decoding a record batch", &err)
	columns := r.schema.tallies(m.version)
	for i := range columns {
		columns[i].taken = r.taken[i]
	}
	whole, room, err := m.load(columns, body, from, room, most)
	if err != nil {
		return nil, room, err
	}
	r.Lock()
	defer r.Unlock()
	r.queue.list = append(r.queue.list, whole)
	if !r.ipc.Next() {
		return nil, room, faultf("its arrays or dictionaries do not fit its schema")
	}
	read := r.ipc.RecordBatch()
	r.exact[0], r.exact[1] = map[arrow.ArrayData]arrow.ArrayData{}, r.exact[0]
	arrays := make([]arrow.Array, read.NumCols())
	for i, a := range read.Columns() {
		arrays[i] = array.MakeFromData(r.exactly(a.Data()))
	}
	return array.NewRecordBatch(read.Schema(), arrays, read.NumRows()), room, nil
}

// exactly is an array whose buffers hold what its rows take and nothing behind it. Of a
// dictionary there is one for all record batches.
func (r *reader) exactly(d arrow.ArrayData) arrow.ArrayData {
	t, layout := d.DataType(), d.DataType().Layout()
	stored := t
	if e, ok := t.(arrow.ExtensionType); ok {
		stored = e.StorageType()
		layout = stored.Layout()
	}
	buffers, nulls := make([]*memory.Buffer, len(d.Buffers())), d.NullN()
	for i, b := range d.Buffers() {
		if buffers[i] = b; b == nil || i >= len(layout.Buffers) {
			continue
		}
		want := b.Len()
		switch spec := layout.Buffers[i]; {
		case spec.Kind == arrow.KindBitmap && i == 0:
			buffers[i], nulls = exactBitmap(b.Bytes(), d.Len(), nulls)
			continue
		case spec.Kind == arrow.KindBitmap:
			buffers[i], _ = exactBitmap(b.Bytes(), d.Len(), -1)
			continue
		case spec.Kind == arrow.KindFixedWidth && i == 1 && hasOffsets(stored):
			want = (d.Len() + 1) * spec.ByteWidth
		case spec.Kind == arrow.KindFixedWidth:
			want = d.Len() * spec.ByteWidth
		}
		if b.Len() > want {
			buffers[i] = memory.NewBufferBytes(b.Bytes()[:want])
		}
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, child := range d.Children() {
		children[i] = r.exactly(child)
	}
	if dict := d.Dictionary(); dict != arrow.ArrayData((*array.Data)(nil)) && dict != nil {
		own := r.exact[0][dict]
		if own == nil {
			own = r.exact[1][dict]
		}
		if own == nil {
			own = r.exactly(dict)
		}
		r.exact[0][dict] = own
		return array.NewDataWithDictionary(t, d.Len(), buffers, nulls, 0, own.(*array.Data))
	}
	return array.NewData(t, d.Len(), buffers, children, nulls, 0)
}

// exactBitmap are the first n bits, and how many of them are 0: zeros, where that is said.
func exactBitmap(b []byte, n, zeros int) (*memory.Buffer, int) {
	b = b[:(n+7)/8]
	if rest := n % 8; rest > 0 && b[len(b)-1]>>rest != 0 {
		b = append([]byte(nil), b...)
		b[len(b)-1] &= 1<<rest - 1
	}
	found := n - bitutil.CountSetBits(b, 0, n)
	if zeros >= 0 && zeros != found {
		panic("a column has another number of nulls than it says")
	}
	return memory.NewBufferBytes(b), found
}

// hasOffsets reports whether the second buffer of a type has one element more than rows.
func hasOffsets(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST, arrow.LARGE_LIST, arrow.MAP:
		return true
	}
	return false
}
