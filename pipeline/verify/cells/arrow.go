package cells

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

const arrowMagic = "ARROW1"

// An arrowFile is read by arrow-go, batch by batch; footer is the same footer
// as this package reads it.
type arrowFile struct {
	in     io.ReaderAt
	footer table
	end    int64 // of the messages, where the footer starts
	reader *ipc.FileReader
	name   []string
	at     int // of the private column
	typ    Type
	rows   []int64
}

func openArrow(in io.ReaderAt, size int64, column string) (_ File, err error) {
	defer guard(&err, "has an Arrow footer that cannot be decoded")
	a := &arrowFile{in: in, at: -1}
	tail := make([]byte, 10)
	if n, _ := in.ReadAt(tail, size-10); n < 10 || string(tail[4:]) != arrowMagic {
		return nil, errorf("does not end as an Arrow IPC file does: it is cut short")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if a.end = size - 10 - length; length > maxFooter || a.end < 8 {
		return nil, errorf("has a footer of an impossible length")
	}
	raw := make([]byte, length)
	if n, _ := in.ReadAt(raw, a.end); int64(n) < length {
		return nil, errorf("has a footer that cannot be read")
	}
	a.footer = root(raw)
	for _, b := range slices.Concat(a.footer.blocks(2), a.footer.blocks(3)) {
		if b.at < 8 || b.meta < 8 || b.body < 0 || b.at > a.end-b.meta || b.body > a.end-b.at-b.meta {
			return nil, errorf("has a message that lies outside the file")
		}
	}
	if !a.sound() {
		return nil, errorf("has messages that cannot be decoded")
	}
	if a.reader, err = ipc.NewFileReader(io.NewSectionReader(asStored(in, raw, a.end), 0, size)); err != nil {
		return nil, errorf("has an Arrow footer or dictionary that cannot be decoded")
	}
	if err := a.find(column); err != nil {
		return nil, err
	}
	for i := range a.reader.NumRecords() {
		n, err := a.length(i)
		if err != nil {
			return nil, err
		}
		a.rows = append(a.rows, n)
	}
	return a, nil
}

// length is the number of rows that the head of record batch i states.
func (a *arrowFile) length(i int) (n int64, err error) {
	defer guard(&err, "record batch %d cannot be decoded", i+1)
	m, err := a.message(a.footer.blocks(3)[i])
	if err != nil {
		return 0, err
	}
	if s := m.sub(2).slot(0); s > 0 {
		n = int64(binary.LittleEndian.Uint64(m.b[s:]))
	}
	return n, nil
}

// message is the metadata of a message.
func (a *arrowFile) message(b block) (table, error) {
	raw := make([]byte, b.meta)
	if n, _ := a.in.ReadAt(raw, b.at); int64(n) < b.meta {
		return table{}, errorf("has a message that cannot be read")
	}
	if binary.LittleEndian.Uint32(raw) == math.MaxUint32 {
		raw = raw[4:]
	}
	t := root(raw[4:])
	return t, nil
}

func (a *arrowFile) find(column string) error {
	for i, f := range a.reader.Schema().Fields() {
		a.name = append(a.name, f.Name)
		if f.Name != column {
			continue
		}
		if a.at >= 0 {
			return errorf("has two columns %q", column)
		}
		a.at = i
		t := f.Type
		if d, ok := t.(*arrow.DictionaryType); ok {
			t = d.ValueType
		}
		var ok bool
		if a.typ, ok = arrowType(t); !ok {
			return errorf("has a column %q of a type that is never privatized", column)
		}
	}
	if a.at < 0 {
		return errorf("has no column %q", column)
	}
	return nil
}

func arrowType(t arrow.DataType) (Type, bool) {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return Type{Kind: Text}, true
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return Type{Kind: Binary}, true
	case arrow.BOOL:
		return Type{Kind: Boolean}, true
	case arrow.DATE32:
		return Type{Kind: Date}, true
	case arrow.TIMESTAMP:
		return Type{Kind: Timestamp, Ticks: int64(time.Second / t.(*arrow.TimestampType).Unit.Multiplier())}, true
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		return Type{Kind: Integer, Bits: t.(arrow.FixedWidthDataType).BitWidth()}, true
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return Type{Kind: Integer, Bits: t.(arrow.FixedWidthDataType).BitWidth(), Unsigned: true}, true
	}
	return Type{}, false
}

func (a *arrowFile) Format() string    { return "arrow" }
func (a *arrowFile) Columns() []string { return a.name }
func (a *arrowFile) Type() Type        { return a.typ }
func (a *arrowFile) Units() []int64    { return a.rows }

// column is the private column of a record batch.
func (a *arrowFile) column(unit int) (_ arrow.Array, err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	b, err := a.reader.RecordBatchAt(unit)
	if err != nil || b.NumRows() != a.rows[unit] {
		return nil, errorf("record batch %d cannot be decoded", unit+1)
	}
	return b.Column(a.at), nil
}

func (a *arrowFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	column, err := a.column(unit)
	if err != nil {
		return nil, err
	}
	r := &arrowReader{column: column, unit: unit, null: l.null}
	if d, ok := column.(*array.Dictionary); ok {
		values := letterOf(d.Dictionary(), l)
		letter := make([]int32, d.Dictionary().Len())
		for i := range letter {
			if letter[i] = l.null; d.Dictionary().IsValid(i) {
				letter[i] = values(i)
			}
		}
		r.letter = func(i int) int32 { return letter[d.GetValueIndex(i)] }
	} else {
		r.letter = letterOf(column, l)
	}
	return r, nil
}

type arrowReader struct {
	column   arrow.Array
	unit, at int
	null     int32
	letter   func(i int) int32
}

func (r *arrowReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "record batch %d cannot be decoded", r.unit+1)
	if n = min(len(dst), r.column.Len()-r.at); n == 0 {
		return 0, io.EOF
	}
	for i := range n {
		if dst[i] = r.null; r.column.IsValid(r.at + i) {
			dst[i] = r.letter(r.at + i)
		}
	}
	r.at += n
	return n, nil
}

// letterOf looks up the values of an array.
func letterOf(values arrow.Array, l *Letters) func(i int) int32 {
	switch v := values.(type) {
	case interface{ Value(int) string }:
		return func(i int) int32 { return l.bytes([]byte(v.Value(i))) }
	case interface{ Value(int) []byte }:
		return func(i int) int32 { return l.bytes(v.Value(i)) }
	case *array.Boolean:
		return func(i int) int32 {
			if v.Value(i) {
				return l.num(1)
			}
			return l.num(0)
		}
	}
	number := numberOf(values)
	return func(i int) int32 { return l.num(number(i)) }
}

// numberOf is the number at a place, null or not.
func numberOf(values arrow.Array) func(i int) int64 {
	switch v := values.(type) {
	case *array.Int8:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Int16:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Int32:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Int64:
		return v.Value
	case *array.Uint8:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Uint16:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Uint32:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Uint64:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Timestamp:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Date32:
		return func(i int) int64 { return int64(v.Value(i)) }
	}
	panic("a type that is never privatized")
}
