package files

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

const arrowMagic = "ARROW1"

// An arrowFile is read by arrow-go, record batch by record batch.
type arrowFile struct {
	head
	in     io.ReaderAt
	size   int64
	codec  int
	schema *arrow.Schema

	mu     sync.Mutex
	reader *ipc.FileReader
}

type arrowReader struct {
	column   arrow.Array
	unit, at int
	null     int32
	letter   func(i int) int32
}

func openArrow(in io.ReaderAt, size int64, c Column) (_ File, err error) {
	defer guard(&err, "has an Arrow footer that cannot be decoded")
	a := &arrowFile{head: head{format: "arrow"}, in: in, size: size}
	if a.rows, a.codec, err = c.Lengths.Heads(in, size); err != nil {
		return nil, errorf("cannot be read: %v", err)
	}
	if a.reader, err = ipc.NewFileReader(io.NewSectionReader(in, 0, size), ipc.WithBodySizeLimit(size),
		ipc.WithMetadataSizeLimit(size)); err != nil {
		return nil, errorf("has a footer, schema or dictionary that cannot be decoded")
	}
	if a.reader.NumRecords() != len(a.rows) {
		return nil, errorf("has other record batches than its footer lists")
	}
	a.schema = a.reader.Schema()
	for _, f := range a.schema.Fields() {
		a.name = append(a.name, f.Name)
	}
	if err := a.find(c.Name); err != nil {
		return nil, err
	}
	var ok bool
	if a.typ, ok = typeOf(a.schema.Field(a.at).Type); !ok {
		return nil, errorf("has a column %q of a type that is never privatized", c.Name)
	}
	a.typ.Bins = c.Bins
	return a, nil
}

// batch is a record batch.
func (a *arrowFile) batch(unit int) (arrow.RecordBatch, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b, err := a.reader.RecordBatchAt(unit)
	if err != nil || b.NumRows() != a.rows[unit] ||
		slices.ContainsFunc(b.Columns(), func(c arrow.Array) bool { return int64(c.Len()) != a.rows[unit] }) {
		return nil, errorf("cannot be decoded in record batch %d", unit+1)
	}
	return b, nil
}

// column is the private column of a record batch: with its indices, where it is dictionary
// encoded.
func (a *arrowFile) column(unit int) (column arrow.Array, dict *array.Dictionary, err error) {
	b, err := a.batch(unit)
	if err != nil {
		return nil, nil, err
	}
	column = b.Column(a.at)
	if e, ok := column.(array.ExtensionArray); ok {
		column = e.Storage()
	}
	if d, ok := column.(*array.Dictionary); ok {
		return d.Indices(), d, nil
	}
	return column, nil, nil
}

func (a *arrowFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	column, dict, err := a.column(unit)
	if err != nil {
		return nil, err
	}
	r := &arrowReader{column: column, unit: unit, null: l.null}
	if dict == nil {
		r.letter = letterOf(column, l.one())
		return r, nil
	}
	const unmet = math.MinInt32
	index, values, known := numberOf(column), dict.Dictionary(), []int32(nil) // letters of entries that occur
	of := letterOf(values, l.one())
	r.letter = func(i int) int32 {
		at := int(index(i))
		if at >= len(known) || known[at] == unmet {
			x := l.null
			if values.IsValid(at) { // which panics where there is no such entry, before room is made for it
				x = of(at)
			}
			for at >= len(known) {
				known = append(known, unmet)
			}
			known[at] = x
		}
		return known[at]
	}
	return r, nil
}

func (r *arrowReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "record batch %d cannot be decoded", r.unit+1)
	n = min(len(dst), r.column.Len()-r.at)
	for i := range n {
		if dst[i] = r.null; r.column.IsValid(r.at + i) {
			dst[i] = r.letter(r.at + i)
		}
	}
	r.at += n
	return n, nil
}

// typeOf is the type of the values of a private column; ok is false where no run
// privatizes it.
func typeOf(t arrow.DataType) (_ Type, ok bool) {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return typeOf(t.StorageType())
	case *arrow.DictionaryType:
		return typeOf(t.ValueType)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return Type{Kind: Text}, true
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return Type{Kind: Binary}, true
	case *arrow.BooleanType:
		return Type{Kind: Boolean}, true
	case *arrow.Date32Type, *arrow.Date64Type:
		return Type{Kind: Date}, true
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		return Type{Kind: Float}, true
	case arrow.DecimalType:
		return Type{Kind: Decimal, Scale: int(t.GetScale())}, true
	case *arrow.TimestampType:
		return Type{Kind: Timestamp, Ticks: int64(time.Second / t.Unit.Multiplier())}, true
	case *arrow.DurationType:
		return Type{Kind: Integer, Bits: 64}, true
	}
	if !arrow.IsInteger(t.ID()) {
		return Type{}, false
	}
	bits := t.(arrow.FixedWidthDataType).BitWidth()
	return Type{Kind: Integer, Bits: bits, Unsigned: arrow.IsUnsignedInteger(t.ID())}, true
}

// letterOf looks up the values of an array.
func letterOf(values arrow.Array, l *Letters) func(i int) int32 {
	switch v := values.(type) {
	case interface{ Value(int) string }:
		return func(i int) int32 { return l.bytes([]byte(v.Value(i))) }
	case interface{ Value(int) []byte }:
		return func(i int) int32 { return l.bytes(v.Value(i)) }
	case *array.Boolean:
		return func(i int) int32 { return l.truth(v.Value(i)) }
	case *array.Date64: // a time of day, which no value has, tells more than its day
		if l.Type.Bins == nil {
			return func(i int) int32 {
				if v.Value(i)%86400_000 != 0 {
					return Stranger
				}
				return l.num(int64(v.Value(i)) / 86400_000)
			}
		}
	}
	if arrow.IsDecimal(values.DataType().ID()) {
		raw, width := fixed(values)
		return func(i int) int32 { // in two's complement as Parquet has it: the highest byte first
			b := slices.Clone(raw[i*width:][:width])
			slices.Reverse(b)
			return l.bytes(b)
		}
	}
	number := numberOf(values)
	return func(i int) int32 { return l.num(number(i)) }
}

// fixed has the bytes of values of one width, null or not, in the order of Arrow: the lowest first. It
// panics for other types; callers are behind guard.
func fixed(values arrow.Array) (raw []byte, width int) {
	width = values.DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	if b := values.Data().Buffers()[1]; b != nil {
		raw = b.Bytes()[values.Data().Offset()*width:]
	}
	return raw, width
}

// numberOf is the number at a place, null or not; of a float its bits.
func numberOf(values arrow.Array) func(i int) int64 {
	le, id := binary.LittleEndian, values.DataType().ID()
	raw, width := fixed(values)
	word := map[int]func(i int) uint64{
		1: func(i int) uint64 { return uint64(raw[i]) },
		2: func(i int) uint64 { return uint64(le.Uint16(raw[2*i:])) },
		4: func(i int) uint64 { return uint64(le.Uint32(raw[4*i:])) },
		8: func(i int) uint64 { return le.Uint64(raw[8*i:]) },
	}[width]
	switch idle := 64 - 8*width; {
	case id == arrow.FLOAT16:
		return func(i int) int64 { return int64(math.Float64bits(half(uint16(word(i))))) }
	case id == arrow.FLOAT32:
		return func(i int) int64 { return int64(math.Float64bits(float64(math.Float32frombits(uint32(word(i)))))) }
	case id == arrow.DATE64: // milliseconds; a day begins at the first of them
		return func(i int) int64 { return down(int64(word(i)), 86400_000) }
	case arrow.IsUnsignedInteger(id):
		return func(i int) int64 { return int64(word(i)) }
	default:
		return func(i int) int64 { return int64(word(i)<<idle) >> idle }
	}
}
