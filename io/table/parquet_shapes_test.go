package table_test

import (
	"bytes"
	"fmt"
	"maps"
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
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	fill := func(b *array.StructBuilder, row int) {
		b.Append(true)
		b.FieldBuilder(0).(*array.LargeStringBuilder).Append(fmt.Sprintf("inner %d", row%50))
		y := b.FieldBuilder(1).(*array.ListBuilder)
		y.Append(true)
		for k := range row % 3 {
			y.ValueBuilder().(*array.Int32Builder).Append(int32(k))
		}
	}
	for row := range c.value {
		fill(b.Field(0).(*array.StructBuilder), row)
		b.Field(1).(*array.LargeStringBuilder).Append(fmt.Sprint(row % 7))
		list := b.Field(3).(*array.ListBuilder)
		if list.Append(row%4 != 0); row%4 != 0 {
			fill(list.ValueBuilder().(*array.StructBuilder), row)
		}
		b.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp(row))
		m := b.Field(5).(*array.MapBuilder)
		if m.Append(row%5 != 0); row%5 != 0 {
			m.KeyBuilder().(*array.StringBuilder).Append("key")
			m.ItemBuilder().(*array.Float64Builder).Append(float64(row))
		}
		if d, ok := b.Field(2).(*array.BinaryDictionaryBuilder); !ok {
			appendCell(t, b.Field(2), c, row)
		} else if c.null != nil && c.null[row] {
			d.AppendNull()
		} else if err := d.AppendString(c.value[row].Bytes); err != nil {
			t.Fatal(err)
		}
	}
	record := b.NewRecordBatch()
	defer record.Release()
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &file,
		arrowparquet.NewWriterProperties(append(option, arrowparquet.WithMaxRowGroupLength(400))...),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(0); at < record.NumRows() || at == 0; at += 400 {
		part := record.NewSlice(at, min(at+400, record.NumRows()))
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		part.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// fileMetadata are the key-value pairs of a footer.
func fileMetadata(t *testing.T, file []byte) map[string]string {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
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
