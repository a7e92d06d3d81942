package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/tacet-privacy/tacet/test/torture"
)

var integers = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
}

// keptTypes are Arrow's types, each alone and, at the end, within others.
func keptTypes() []arrow.DataType {
	note := arrow.NewMetadata([]string{"_PL_ENUM_VALUES2", "note"}, []string{"1;a1;b", "stays"})
	all := append(slices.Clone(integers), arrow.Null, arrow.FixedWidthTypes.Boolean,
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
		extensions.NewBool8Type(), extensions.NewUUIDType())
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
	return tableOf(t, arrowFormat(option...), append(fields, private), 3*64, 64, func(at int) []string {
		row, keptCell := at%64, filler
		if row%3 == at/64 || row%5 == 0 {
			keptCell = ""
		}
		return append(slices.Repeat([]string{keptCell}, len(kept)), cell[row%len(cell)])
	})
}

var arrowOptions = map[string][]ipc.Option{"stored": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}

// Every type stands beside a private column, and verify reads what run
// publishes.
func TestFollowsKeptArrow(t *testing.T) {
	for name, option := range arrowOptions {
		t.Run(name, func(t *testing.T) {
			file := arrowOf(t, keptTypes(), arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true},
				[]string{"1", "1", "2", "3", "1", ""}, option...)
			mustFollow(t, file, ".arrow", "ordered:1,2,3")
		})
	}
}

// A private column of every type that is taken, plain and by dictionary, with
// nulls and without; with TACET_TORTURE under every codec, else under each in turn.
func TestFollowsPrivateArrow(t *testing.T) {
	json, err := extensions.NewJSONType(arrow.BinaryTypes.String)
	must(t, err)
	turn, all := 0, torture.Long()
	digits, encoded := []string{"1", "1", "2", "3", "1", "2", "1"}, []string{"MQ==", "MQ==", "Mg==", "MQ=="}
	day := []string{"2024-01-01", "2024-01-02", "2024-01-01"}
	type kind struct {
		typ          arrow.DataType
		cell         []string
		utility      string
		dictionaries bool // values of a dictionary may be of this type
	}
	kinds := []kind{{arrow.BinaryTypes.String, digits, "ordered:1,2,3", true},
		{arrow.BinaryTypes.LargeString, digits, "ordered:1,2,3", false},
		{arrow.BinaryTypes.StringView, digits, "ordered:1,2,3", false},
		{arrow.BinaryTypes.Binary, encoded, "ordered:1,2", true},
		{arrow.BinaryTypes.LargeBinary, encoded, "ordered:1,2", false}}
	for _, typ := range integers {
		kinds = append(kinds, kind{typ, digits, "numeric", true})
	}
	for _, c := range append(kinds,
		kind{arrow.FixedWidthTypes.Boolean, []string{"true", "false", "true"}, "ordered:false,true", false},
		kind{arrow.FixedWidthTypes.Date32, day, "numeric", true},
		kind{arrow.FixedWidthTypes.Date64, []string{"2024-01-01", "1969-12-31", "2024-01-01"}, "numeric", true},
		kind{json, digits, "ordered:1,2,3", false},
		kind{extensions.NewBool8Type(), []string{"0", "1", "1"}, "numeric", false},
		kind{extensions.NewOpaqueType(arrow.BinaryTypes.String, "secret", "vendor"), digits, "ordered:1,2,3", false}) {
		types := []arrow.DataType{c.typ}
		if c.dictionaries {
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
						mustFollow(t, file, ".arrow", c.utility)
					})
				}
			}
		}
	}
}
