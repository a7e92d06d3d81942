package verify_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/test/torture"
)

// keptTypes are Arrow's types, each alone and, at the end, within others.
func keptTypes() []arrow.DataType {
	note := arrow.NewMetadata([]string{"_PL_ENUM_VALUES2", "note"}, []string{"1;a1;b", "stays"})
	all := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView,
		&arrow.FixedSizeBinaryType{ByteWidth: 5},
		&arrow.Decimal32Type{Precision: 5, Scale: 1}, &arrow.Decimal64Type{Precision: 12, Scale: 2},
		&arrow.Decimal128Type{Precision: 20, Scale: 3}, &arrow.Decimal256Type{Precision: 50, Scale: 4},
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
		arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_s, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Asia/Tokyo"},
		&arrow.TimestampType{Unit: arrow.Millisecond},
		arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ns,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval,
		arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.PrimitiveTypes.Int32, Ordered: true},
		extensions.NewBool8Type(), extensions.NewUUIDType(),
	}
	for _, t := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.PrimitiveTypes.Int32,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}} {
		item := arrow.Field{Name: "item", Type: t, Nullable: true, Metadata: note}
		all = append(all, arrow.ListOfField(item), arrow.LargeListOfField(item), arrow.FixedSizeListOfField(3, item),
			arrow.ListViewOfField(item), arrow.LargeListViewOfField(item),
			arrow.StructOf(item, arrow.Field{Name: "other", Type: arrow.ListOfField(item), Nullable: true}),
			arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String}, item),
			arrow.SparseUnionOf([]arrow.Field{item, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}},
				[]arrow.UnionTypeCode{4, 7}),
			arrow.DenseUnionOf([]arrow.Field{item, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}},
				[]arrow.UnionTypeCode{0, 1}))
	}
	return append(all, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64))
}

// arrowOf writes three record batches with the private column c of that type
// among kept ones.
func arrowOf(t *testing.T, kept []arrow.DataType, private arrow.Field, cell []string, option ...ipc.Option) []byte {
	t.Helper()
	note := arrow.NewMetadata([]string{"_PL_CATEGORICAL", "note"}, []string{"x", "stays"})
	var fields []arrow.Field
	for i, k := range kept {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("k%d", i), Type: k, Nullable: true, Metadata: note})
	}
	private.Name = "c"
	fields = append(fields, private)
	s := arrow.NewSchema(fields, nil)
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append(option, ipc.WithSchema(s))...)
	must(t, err)
	for batch := range 3 {
		r := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for row := range 64 {
			for i := range kept {
				if row%3 == batch || row%5 == 0 {
					r.Field(i).AppendNull()
				} else {
					r.Field(i).AppendEmptyValue()
				}
			}
			c := r.Field(len(kept))
			if e, ok := c.(*array.ExtensionBuilder); ok {
				c = e.StorageBuilder()
			}
			if v := cell[row%len(cell)]; v == "" {
				c.AppendNull()
			} else {
				must(t, c.AppendValueFromString(v))
			}
		}
		must(t, w.Write(r.NewRecordBatch()))
	}
	must(t, w.Close())
	return b.Bytes()
}

var arrowOptions = map[string][]ipc.Option{"stored": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}

// Every type stands beside a private column, and verify reads what run
// publishes.
func TestFollowsKeptArrow(t *testing.T) {
	for name, option := range arrowOptions {
		t.Run(name, func(t *testing.T) {
			file := arrowOf(t, keptTypes(), arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true},
				[]string{"1", "1", "2", "3", "1", ""}, option...)
			if !follows(t, file, ".arrow", pipeline.Options{Utility: "ordered:1,2,3", Null: "public"}) {
				t.Error("the run refuses the file")
			}
		})
	}
}

// A private column of every type that is taken, plain and by dictionary, with
// nulls and without; with TACET_TORTURE under every codec, else under each in turn.
func TestFollowsPrivateArrow(t *testing.T) {
	json, err := extensions.NewJSONType(arrow.BinaryTypes.String)
	must(t, err)
	turn, all := 0, torture.Long()
	text, number := []string{"1", "1", "2", "3", "1", "2", "1"}, []string{"1", "1", "2", "3", "1", "2", "1"}
	for _, c := range []struct {
		typ     arrow.DataType
		cell    []string
		utility string
	}{
		{arrow.BinaryTypes.String, text, "ordered:1,2,3"}, {arrow.BinaryTypes.LargeString, text, "ordered:1,2,3"},
		{arrow.BinaryTypes.StringView, text, "ordered:1,2,3"},
		{arrow.BinaryTypes.Binary, []string{"MQ==", "MQ==", "Mg==", "MQ=="}, "ordered:1,2"}, {arrow.BinaryTypes.LargeBinary,
			[]string{"MQ==", "MQ==", "Mg==", "MQ=="}, "ordered:1,2"},
		{arrow.PrimitiveTypes.Int8, number, "numeric"}, {arrow.PrimitiveTypes.Int16, number, "numeric"},
		{arrow.PrimitiveTypes.Int32, number, "numeric"}, {arrow.PrimitiveTypes.Int64, number, "numeric"},
		{arrow.PrimitiveTypes.Uint8, number, "numeric"}, {arrow.PrimitiveTypes.Uint16, number, "numeric"},
		{arrow.PrimitiveTypes.Uint32, number, "numeric"}, {arrow.PrimitiveTypes.Uint64, number, "numeric"},
		{arrow.FixedWidthTypes.Boolean, []string{"true", "false", "true"}, "ordered:false,true"},
		{arrow.FixedWidthTypes.Date32, []string{"2024-01-01", "2024-01-02", "2024-01-01"}, "numeric"},
		{arrow.FixedWidthTypes.Date64, []string{"2024-01-01", "1969-12-31", "2024-01-01"}, "numeric"},
		{json, text, "ordered:1,2,3"}, {extensions.NewBool8Type(), []string{"0", "1", "1"}, "numeric"},
		{extensions.NewOpaqueType(arrow.BinaryTypes.String, "secret", "vendor"), text, "ordered:1,2,3"},
	} {
		types := []arrow.DataType{c.typ}
		if _, ok := c.typ.(arrow.ExtensionType); !ok && c.typ.ID() != arrow.STRING_VIEW && c.typ.ID() != arrow.BOOL &&
			c.typ.ID() != arrow.LARGE_BINARY && c.typ.ID() != arrow.LARGE_STRING {
			types = append(types, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: c.typ},
				&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: c.typ})
		}
		for i, typ := range types {
			for _, nulls := range []bool{false, true} {
				for at, name := range slices.Sorted(maps.Keys(arrowOptions)) {
					if turn++; !all && at != (turn-1)/len(arrowOptions)%len(arrowOptions) {
						continue // the next type takes the next codec
					}
					option, cell := arrowOptions[name], c.cell
					if nulls {
						cell = append(cell[:len(cell):len(cell)], "")
					}
					t.Run(fmt.Sprintf("%v %d %v %s", typ, i, nulls, name), func(t *testing.T) {
						file := arrowOf(t, []arrow.DataType{arrow.ListOf(arrow.BinaryTypes.String)},
							arrow.Field{Type: typ, Nullable: nulls}, cell, option...)
						if !follows(t, file, ".arrow", pipeline.Options{Utility: c.utility, Null: "public"}) {
							t.Error("the run refuses the file")
						}
					})
				}
			}
		}
	}
}
