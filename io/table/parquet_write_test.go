package table_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/tacet-privacy/tacet/io/table"
)

// parquetGoNode is the schema node of a type.
func parquetGoNode(t table.Type) parquet.Node {
	switch t.Kind {
	case table.Text:
		return parquet.String()
	case table.Binary:
		return parquet.Leaf(parquet.ByteArrayType)
	case table.Boolean:
		return parquet.Leaf(parquet.BooleanType)
	case table.Date:
		return parquet.Date()
	}
	if t.Unsigned {
		return parquet.Uint(t.Bits)
	}
	return parquet.Int(t.Bits)
}

// writeParquetGo writes columns a, b, ... between nested neighbours, groups
// rows to a row group, with an empty row group where groups is negative.
func writeParquetGo(t testing.TB, perGroup int, e encoding.Encoding, column []cells,
	option ...parquet.WriterOption) []byte {
	t.Helper()
	root := parquet.Group{
		"A": parquet.List(parquet.String()),
		"z": parquet.Optional(parquet.Group{"x": parquet.Leaf(parquet.DoubleType),
			"y": parquet.Map(parquet.String(), parquet.Int(64))}),
	}
	for i, c := range column {
		node := parquetGoNode(c.typ)
		if e != nil {
			node = parquet.Encoded(node, e)
		}
		if c.null != nil {
			node = parquet.Optional(node)
		}
		root[string(rune('a'+i))] = node
	}
	var b bytes.Buffer
	schema := parquet.NewSchema("test", root)
	w := parquet.NewGenericWriter[any](&b, append([]parquet.WriterOption{schema}, option...)...)
	rows := len(column[0].value)
	for row := range rows {
		r := parquet.Row{parquet.ByteArrayValue([]byte("list")).Level(0, 1, 0)}
		for i, c := range column {
			r = append(r, parquetGoValue(c, row, i+1))
		}
		last := len(column) + 1
		r = append(r, parquet.Value{}.Level(0, 0, last), parquet.Value{}.Level(0, 0, last+1),
			parquet.Value{}.Level(0, 0, last+2))
		if _, err := w.WriteRows([]parquet.Row{r}); err != nil {
			t.Fatal(err)
		}
		if (row+1)%perGroup == 0 {
			must(t, w.Flush())
		}
	}
	must(t, w.Close())
	return b.Bytes()
}

func parquetGoValue(c cells, row, column int) parquet.Value {
	if c.null != nil && c.null[row] {
		return parquet.Value{}.Level(0, 0, column)
	}
	level := 0
	if c.null != nil {
		level = 1
	}
	var v parquet.Value
	switch n := c.value[row].Int; {
	case c.typ.Kind <= table.Binary:
		v = parquet.ByteArrayValue([]byte(c.value[row].Bytes))
	case c.typ.Kind == table.Boolean:
		v = parquet.BooleanValue(n != 0)
	case c.typ.Bits == 64:
		v = parquet.Int64Value(n)
	default:
		v = parquet.Int32Value(int32(n))
	}
	return v.Level(0, level, column)
}

// writeArrowGo writes columns a, b, ... with arrow-go, perGroup rows to a row
// group.
func writeArrowGo(t testing.TB, perGroup int, column []cells, option ...arrowparquet.WriterProperty) []byte {
	t.Helper()
	var field []arrow.Field
	for i, c := range column {
		field = append(field, arrow.Field{Name: string(rune('a' + i)), Type: arrowType(c.typ), Nullable: c.null != nil})
	}
	schema := arrow.NewSchema(field, nil)
	var records []arrow.RecordBatch
	rows := len(column[0].value)
	for from := 0; from < rows || from == 0; from += perGroup {
		to := min(from+perGroup, rows)
		var arrays []arrow.Array
		for i, c := range column {
			arrays = append(arrays, arrowArray(t, field[i].Type, c, from, to))
		}
		records = append(records, array.NewRecordBatch(schema, arrays, int64(to-from)))
	}
	return parquetOf(t, records, nil, option...)
}

// parquetOf writes a row group for each record batch with arrow-go.
func parquetOf(t testing.TB, records []arrow.RecordBatch, how []pqarrow.WriterOption,
	option ...arrowparquet.WriterProperty) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(records[0].Schema(), &b, arrowparquet.NewWriterProperties(option...),
		pqarrow.NewArrowWriterProperties(how...))
	must(t, err)
	for _, r := range records {
		must(t, w.Write(r))
	}
	must(t, w.Close())
	return b.Bytes()
}

// inUnits are the rows of a record batch, so many to a unit.
func inUnits(r arrow.RecordBatch, rows int64) (parts []arrow.RecordBatch) {
	for from := int64(0); from < r.NumRows() || from == 0; from += rows {
		parts = append(parts, r.NewSlice(from, min(from+rows, r.NumRows())))
	}
	return parts
}

func arrowType(t table.Type) arrow.DataType {
	switch t.Kind {
	case table.Text:
		return arrow.BinaryTypes.String
	case table.Binary:
		return arrow.BinaryTypes.Binary
	case table.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case table.Date:
		return arrow.FixedWidthTypes.Date32
	}
	return map[bool]map[int]arrow.DataType{
		false: {8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16, 32: arrow.PrimitiveTypes.Int32,
			64: arrow.PrimitiveTypes.Int64},
		true: {8: arrow.PrimitiveTypes.Uint8, 16: arrow.PrimitiveTypes.Uint16, 32: arrow.PrimitiveTypes.Uint32,
			64: arrow.PrimitiveTypes.Uint64},
	}[t.Unsigned][t.Bits]
}

// appendCell adds a row to a column of any type that holds such values.
func appendCell(t testing.TB, b array.Builder, c cells, row int) {
	t.Helper()
	if c.null != nil && c.null[row] {
		b.AppendNull()
	} else if err := b.AppendValueFromString(textOf(c.typ, c.value[row])); err != nil {
		t.Fatal(err)
	}
}

// textOf is a value as arrow-go reads and writes it as text.
func textOf(t table.Type, v table.Value) string {
	switch t.Kind {
	case table.Text:
		return v.Bytes
	case table.Binary:
		return base64.StdEncoding.EncodeToString([]byte(v.Bytes))
	}
	return t.Label(v)
}
