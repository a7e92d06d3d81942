package table_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/tacet-privacy/tacet/io/table"
)

// oneColumn is a file with one column x of this type and rows given as JSON.
func oneColumn(t *testing.T, dt arrow.DataType, rows string) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt, Nullable: true}}, nil)
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(rows))
	if err != nil {
		t.Fatalf("%v: %v", dt, err)
	}
	return writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len()))})
}

func TestArrowRefusesTypesByName(t *testing.T) {
	for _, c := range []struct {
		typ        arrow.DataType
		name, hint string
	}{
		{arrow.PrimitiveTypes.Float64, "float64", "put it into bins, such as --bins 0,10,20,inf"},
		{arrow.PrimitiveTypes.Float32, "float32", "put it into bins, such as --bins 0,10,20,inf"},
		{arrow.FixedWidthTypes.Float16, "float16", "put it into bins, such as --bins 0,10,20,inf"},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, "decimal(9, 2)", "put it into bins, such as --bins 0,10,20,inf"},
		{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, "timestamp[us, tz=UTC]",
			"put it into bins, such as --bins day, or cast it to date"},
		{arrow.FixedWidthTypes.Time32s, "time32[s]", "cast it"},
		{arrow.FixedWidthTypes.Duration_ns, "duration[ns]", "cast it"},
		{arrow.FixedWidthTypes.MonthInterval, "month_interval", "cast it"},
		{&arrow.FixedSizeBinaryType{ByteWidth: 3}, "fixed_size_binary[3]", "cast it"},
		{arrow.Null, "null", "cast it"},
		{arrow.ListOf(arrow.BinaryTypes.String), "list<item: utf8, nullable>", "a column of their own"},
		{arrow.StructOf(arrow.Field{Name: "p", Type: arrow.PrimitiveTypes.Int8}), "struct<p: int8>",
			"a column of their own"},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), "run_end_encoded<run_ends: int32, values: utf8>",
			"a column of their own"},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Float64},
			"dictionary<int8, float64>", "cast it"},
	} {
		refused(t, oneColumn(t, c.typ, "[]"), table.Request{Private: []string{"x"}}, `column "x" is of type `+c.name+
			",", c.hint)
	}
}

// Dates in milliseconds that have a time of day would lose it; in bins they are what they are.
func TestArrowRefusesTimesOfDay(t *testing.T) {
	days := array.NewDate64Builder(memory.DefaultAllocator)
	days.AppendValues([]arrow.Date64{-1, 86400_000}, nil)
	indices := array.NewInt8Builder(memory.DefaultAllocator)
	indices.AppendValues([]int8{1, 0}, nil)
	plain := days.NewArray()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: plain.DataType()}
	for _, a := range []arrow.Array{plain, array.NewDictionaryArray(typ, indices.NewArray(), plain)} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType()}}, nil)
		file := writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{a}, 2)})
		refused(t, file, table.Request{Private: []string{"x"}}, `date64`, "--bins day")
		f, err := open(bytesInput{bytes.NewReader(file)}, table.Request{Private: []string{"x"},
			Bins: []string{"day"}})
		must(t, err)
		in, _, err := f.Scan(context.Background())
		if err != nil || !slices.Equal(in[0].Labels(), []string{"1969-12-31", "1970-01-02"}) {
			t.Errorf("%v, %v", in, err)
		}
	}
}

// A null stands in the indices or in the dictionary; both are null.
func TestArrowNullInDictionary(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	values := arrowArray(t, arrow.BinaryTypes.String,
		cells{typ: table.Type{Kind: table.Text}, value: []table.Value{{}, {Bytes: "v"}}, null: []bool{true, false}}, 0,
		2)
	index := cells{typ: table.Type{Kind: table.Integer, Bits: 8, Unsigned: false},
		value: []table.Value{{}, {Int: 1}, {}, {Int: 1}, {}}, null: []bool{false, false, true, false, false}}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt}}, nil)
	a := array.NewDictionaryArray(dt, arrowArray(t, dt.IndexType, index, 0, 5), values)
	file := writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{a}, 5)})
	c := cells{typ: table.Type{Kind: table.Text}, value: []table.Value{{}, {Bytes: "v"}, {}, {Bytes: "v"}, {}},
		null: []bool{true, false, true, false, true}}
	checkFile(t, file, []string{"a"}, c)
	for _, public := range []bool{true, false} {
		to := shifted(c.typ, 3, !public)
		after := rewrite(t, file, table.Request{Private: []string{"a"}}, public, to)
		checkFile(t, after, []string{"a"}, expected(c, to, public))
		if s, _ := readRecords(t, after); !s.Field(0).Nullable {
			t.Error("a column with nulls is not nullable")
		}
	}
}

// A dictionary may grow by deltas: testdata/deltas.arrow is pyarrow's, of 4, 3 and 2 rows
// and of words that come one after the other.
func TestArrowDeltaDictionaries(t *testing.T) {
	grown, err := os.ReadFile("testdata/deltas.arrow")
	must(t, err)
	of := func(text ...string) cells {
		c := cells{typ: table.Type{Kind: table.Text}, null: make([]bool, len(text))}
		for i, s := range text {
			c.value, c.null[i] = append(c.value, table.Value{Bytes: s}), s == ""
		}
		return c
	}
	a := of("w0", "w1", "", "w0", "w2", "w1", "w0", "w3", "w4")
	b := of("y", "x", "y", "x", "y", "x", "y", "z", "z")
	checkFile(t, grown, []string{"a", "b"}, a, b)
	for _, letters := range []int{1, 9, 40} {
		to := shifted(a.typ, letters, true)
		after := rewrite(t, grown, table.Request{Private: []string{"a"}}, false, to)
		checkFile(t, after, []string{"a", "b"}, expected(a, to, false), b)
		checkRewritten(t, grown, after, nil, []string{"a"}, expected(a, to, false))
	}
}
