package arrow

import (
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/table"
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
	*schema
	taken []bool
	uses  map[int64]bool // dictionaries
	sync.Mutex
	queue queue
	ipc   *ipc.Reader
	dicts budget // of all dictionaries
}

// newReader decodes the columns that are taken.
func newReader(s *schema, taken []bool) (r *reader, err error) {
	defer table.Guard("reading the schema", &err)
	r = &reader{schema: s, taken: taken, uses: map[int64]bool{}, dicts: budget{most: unlikely / 4}}
	for i, taken := range taken {
		for _, id := range s.columns[i].ids {
			r.uses[id] = r.uses[id] || taken
		}
	}
	r.queue.list = append(r.queue.list, s.message())
	if r.ipc, err = ipc.NewReaderFromMessageReader(&r.queue); err != nil {
		err = faultf("its schema cannot be decoded")
	}
	return r, err
}

// dictionary takes a dictionary that the next record batch may use, an empty one in place of
// what is not used.
func (r *reader) dictionary(m *message, body io.ReaderAt, from int64) (err error) {
	defer table.Guard("reading a dictionary", &err)
	values, known := r.values[m.id]
	if !known { // of no column
		return nil
	}
	m.fit([]tally{values}, []bool{r.uses[m.id]})
	r.dicts.stored += m.body
	whole, _, err := m.load(body, from, nil, &r.dicts)
	r.queue.list = append(r.queue.list, whole)
	return err
}

// record decodes a record batch whose buffers are read into room: it is good until room is
// used again. Columns that are not taken are empty, the others have m.rows.
func (r *reader) record(m *message, body io.ReaderAt, from int64, room []byte, most *budget) (_ []arrow.Array,
	_ []byte, err error) {
	defer table.Guard("decoding a record batch", &err)
	m.fit(r.columns, r.taken)
	whole, room, err := m.load(body, from, room, most)
	if err != nil {
		return nil, room, err
	}
	r.Lock()
	defer r.Unlock()
	r.queue.list = append(r.queue.list, whole)
	hold(r.ipc.Next(), "its arrays or dictionaries do not fit its schema")
	read := r.ipc.RecordBatch()
	read.Retain() // else the next one takes its buffers away
	for _, a := range read.Columns() {
		trim(a.Data())
	}
	return read.Columns(), room, nil
}

// trim ends the buffers of an array where what its rows take ends, and holds its bitmap to the
// number of nulls that it says. It writes where anything changes: a dictionary is trimmed with
// the first record batch, and read while others are.
func trim(d arrow.ArrayData) {
	t := d.DataType()
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	for i, spec := range t.Layout().Buffers {
		if i >= len(d.Buffers()) || d.Buffers()[i] == nil {
			continue
		}
		b := d.Buffers()[i]
		want := b.Len()
		switch {
		case spec.Kind == arrow.KindBitmap:
			want = (d.Len() + 7) / 8
			hold(want <= b.Len(), "a bitmap is shorter than its column")
			if i == 0 {
				hold(d.Len()-bitutil.CountSetBits(b.Bytes(), 0, d.Len()) == d.NullN(),
					"a column has another number of nulls than it says")
			}
			if rest := d.Len() % 8; rest > 0 && b.Bytes()[want-1]>>rest != 0 {
				b.Bytes()[want-1] &= 1<<rest - 1
			}
		case spec.Kind == arrow.KindFixedWidth && i == 1 && hasOffsets(t):
			want = (d.Len() + 1) * spec.ByteWidth
		case spec.Kind == arrow.KindFixedWidth:
			want = d.Len() * spec.ByteWidth
		}
		if want < b.Len() {
			b.ResizeNoShrink(want)
		}
	}
	for _, child := range d.Children() {
		trim(child)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		trim(dict)
	}
}

// hasOffsets reports whether the second buffer of a type has one element more than rows.
func hasOffsets(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST, arrow.LARGE_LIST, arrow.MAP:
		return true
	}
	return false
}
