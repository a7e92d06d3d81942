package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowCodecs are the ways in which bodies are compressed.
var arrowCodecs = []struct {
	name   string
	option []ipc.Option
}{
	{"none", nil},
	{"lz4", []ipc.Option{ipc.WithLZ4()}},
	{"zstd", []ipc.Option{ipc.WithZstd()}},
}

// arrowStorage are the Arrow types that hold values of type t, plain and
// dictionary encoded.
func arrowStorage(t table.Type) []arrow.DataType {
	plain := []arrow.DataType{arrowType(t)}
	switch t.Kind {
	case table.Text:
		plain = append(plain, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView)
	case table.Binary:
		plain = append(plain, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView)
	case table.Date:
		plain = append(plain, arrow.FixedWidthTypes.Date64)
	}
	all := plain
	for i, p := range plain {
		for j, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8,
			arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
			arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64,
			arrow.PrimitiveTypes.Uint64} {
			if i == 0 && t.Kind == table.Text || (i+j+int(t.Kind)+t.Bits/8)%4 == 0 {
				all = append(all, &arrow.DictionaryType{IndexType: index, ValueType: p})
			}
		}
	}
	return all
}

// arrowArray holds the rows from..to of c as type dt. What is sliced has an
// offset of a few rows in its buffers; a dictionary also holds letters that no
// row may use.
func arrowArray(t testing.TB, dt arrow.DataType, c cells, from, to int) arrow.Array {
	t.Helper()
	lead := min(from, 3)
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return dictionaryArray(t, d, c, from, to, letterValue(c.typ, 1<<10), letterValue(c.typ, 1<<11))
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	for row := from - lead; row < to; row++ {
		appendCell(t, b, c, row)
	}
	whole := b.NewArray()
	defer whole.Release()
	return array.NewSlice(whole, int64(lead), int64(lead+to-from))
}

// dictionaryArray also takes letters that no row uses.
func dictionaryArray(t testing.TB, d *arrow.DictionaryType, c cells, from, to int, unused ...table.Value) arrow.Array {
	t.Helper()
	known, _ := c.counts()
	value := known.Values()
	value = append(value, unused...)
	place := make(map[table.Value]int)
	values := cells{typ: c.typ}
	for i := range value { // not in sorted order
		v := value[len(value)-1-i]
		place[v] = i
		values.value = append(values.value, v)
	}
	index := cells{typ: table.Type{Kind: table.Integer, Bits: arrowBits(d.IndexType), Unsigned: false}, null: c.null}
	for _, v := range c.value {
		index.value = append(index.value, table.Value{Int: int64(place[v])})
	}
	dict := arrowArray(t, d.ValueType, values, 0, len(values.value))
	defer dict.Release()
	indices := arrowArray(t, d.IndexType, index, from, to)
	defer indices.Release()
	return array.NewDictionaryArray(d, indices, dict)
}

func arrowBits(dt arrow.DataType) int { return dt.(arrow.FixedWidthDataType).BitWidth() }

// arrowNeighbours are columns of every shape that stand beside the private one, as
// JSON of one row; each is written with nulls between.
var arrowNeighbours = []struct {
	typ arrow.DataType
	row string // %d is the row
}{
	{arrow.PrimitiveTypes.Float64, `%d.5`},
	{arrow.BinaryTypes.String, `"text %d"`},
	{arrow.BinaryTypes.StringView, `"a text too long to be held in a view itself, %d"`},
	{arrow.FixedWidthTypes.Timestamp_us, `%d`},
	{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"}, `%d`},
	{&arrow.Decimal128Type{Precision: 12, Scale: 2}, `"%d.25"`},
	{&arrow.FixedSizeBinaryType{ByteWidth: 3}, `"YWJj"`},
	{arrow.ListOf(arrow.BinaryTypes.String), `["x", "%d"]`},
	{arrow.LargeListOf(arrow.PrimitiveTypes.Int32), `[%d, null]`},
	{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16), `[1, 2]`},
	{arrow.ListViewOf(arrow.PrimitiveTypes.Int64), `[%d, 2]`},
	{arrow.StructOf(arrow.Field{Name: "p", Type: arrow.BinaryTypes.StringView, Nullable: true},
		arrow.Field{Name: "q", Type: arrow.ListOf(arrow.PrimitiveTypes.Uint8), Nullable: true}),
		`{"p": "a text too long to be held in a view itself, %d", "q": [7]}`},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[{"key": "k", "value": %d}]`},
	{arrow.DenseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{5, 7}),
		`[5, %d]`},
	{arrow.SparseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{0, 1}),
		`[0, %d]`},
	{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `"run %d"`},
	{arrow.Null, `null`},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}, `"kept"`},
}

func neighbourArray(t testing.TB, n int, from, to int) arrow.Array {
	t.Helper()
	var rows []string
	for row := from; row < to; row++ {
		one := arrowNeighbours[n].row
		if strings.Contains(one, "%d") {
			one = fmt.Sprintf(one, row)
		}
		if row%5 == 3 && !strings.Contains(arrowNeighbours[n].typ.Name(), "union") {
			one = "null"
		}
		rows = append(rows, one)
	}
	return fromJSON(t, arrowNeighbours[n].typ, rows)
}

// writeArrow writes private columns a, b, ... of these types, batch rows to a
// record batch, between arrowNeighbours 0, 1, ...
func writeArrow(t testing.TB, batch int, typ []arrow.DataType, column []cells, beside int,
	option ...ipc.Option) []byte {
	t.Helper()
	var field []arrow.Field
	for i := range beside {
		field = append(field, arrow.Field{Name: fmt.Sprint("n", i), Type: arrowNeighbours[i].typ, Nullable: true})
	}
	for i, dt := range typ {
		at := min(i*2, len(field))
		f := arrow.Field{Name: string(rune('a' + i)), Type: dt, Nullable: column[i].null != nil}
		field = append(field[:at:at], append([]arrow.Field{f}, field[at:]...)...)
	}
	schema := arrow.NewSchema(field, nil)
	var records []arrow.RecordBatch
	rows := len(column[0].value)
	for from := 0; from < rows || from == 0; from += batch {
		to := min(from+batch, rows)
		var arrays []arrow.Array
		for _, f := range field {
			if f.Name[0] == 'n' {
				var n int
				fmt.Sscan(f.Name[1:], &n)
				arrays = append(arrays, neighbourArray(t, n, from, to))
			} else {
				arrays = append(arrays, arrowArray(t, f.Type, column[f.Name[0]-'a'], from, to))
			}
		}
		records = append(records, array.NewRecordBatch(schema, arrays, int64(to-from)))
	}
	return writeRecords(t, schema, records, option...)
}

func writeRecords(t testing.TB, schema *arrow.Schema, records []arrow.RecordBatch, option ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append([]ipc.Option{ipc.WithSchema(schema)}, option...)...)
	must(t, err)
	for _, r := range records {
		must(t, w.Write(r))
	}
	must(t, w.Close())
	return b.Bytes()
}

// readRecords reads a file with arrow-go.
func readRecords(t testing.TB, file []byte) (*arrow.Schema, []arrow.RecordBatch) {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(file))
	must(t, err)
	defer r.Close()
	var records []arrow.RecordBatch
	for i := range r.NumRecords() {
		record, err := r.RecordBatchAt(i)
		must(t, err)
		records = append(records, record)
	}
	return r.Schema(), records
}
