package table_test

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
)

// shapes are columns of every shape around a private column a of type dt,
// which may be a dictionary; words stand in the metadata of file and of a,
// and what stays in those of the fields beside it and below them.
func shapes(t testing.TB, dt arrow.DataType, c cells, words map[string]string,
	option ...arrowparquet.WriterProperty) []byte {
	t.Helper()
	free := arrow.MetadataFrom(words)
	own := map[string]string{"ARROW:extension:name": "note", "ARROW:extension:metadata": fmt.Sprint(words)}
	maps.Copy(own, words)
	stays := arrow.MetadataFrom(map[string]string{"beside": "stays"})
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.LargeString, Nullable: true,
		Metadata: stays}, arrow.Field{Name: "y", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32)})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: inner, Nullable: true, Metadata: stays},
		{Name: "u", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "a", Type: dt, Nullable: c.null != nil, Metadata: arrow.MetadataFrom(own)},
		{Name: "l", Type: arrow.ListOf(inner), Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64), Nullable: true},
	}, &free)
	of := func(row int) string {
		return fmt.Sprintf(`{"x": "inner %d", "y": %s}`, row%50, []string{"[]", "[0]", "[0, 1]"}[row%3])
	}
	arrays := make([]arrow.Array, schema.NumFields())
	for i, cell := range []func(row int) string{of, func(row int) string { return fmt.Sprintf(`"%d"`, row%7) }, nil,
		func(row int) string { return unless(row%4 == 0, "["+of(row)+"]") }, strconv.Itoa,
		func(row int) string { return unless(row%5 == 0, fmt.Sprintf(`[{"key": "key", "value": %d}]`, row)) }} {
		if cell == nil {
			arrays[i] = arrowArray(t, dt, c, 0, len(c.value))
			continue
		}
		var rows []string
		for row := range c.value {
			rows = append(rows, cell(row))
		}
		arrays[i] = fromJSON(t, schema.Field(i).Type, rows)
	}
	return parquetOf(t, inUnits(array.NewRecordBatch(schema, arrays, int64(len(c.value))), 400),
		[]pqarrow.WriterOption{pqarrow.WithStoreSchema()}, option...)
}

// unless is null, or else a value.
func unless(null bool, value string) string {
	if null {
		return "null"
	}
	return value
}

// fromJSON is an array of rows in JSON.
func fromJSON(t testing.TB, typ arrow.DataType, rows []string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatalf("%v: %v", typ, err)
	}
	return a
}

// fileMetadata are the key-value pairs of a footer.
func fileMetadata(t *testing.T, file []byte) map[string]string {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	pairs := map[string]string{}
	list := f.Meta.Get(parquetmeta.MetaKeyValue)
	for i := range list.Len() {
		key, _ := list.At(i).Get(1).Bytes()
		value, _ := list.At(i).Get(2).Bytes()
		if _, twice := pairs[string(key)]; twice {
			t.Errorf("key %s appears twice", key)
		}
		pairs[string(key)] = string(value)
	}
	return pairs
}

var dictionaryOfText = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
