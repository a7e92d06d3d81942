package table_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

func TestArrowRewriteNeighbours(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 120, 20, nullPatterns[4].null)
	for i, dt := range []arrow.DataType{arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}} {
		for _, codec := range arrowCodecs[i : i+2] {
			file := writeArrow(t, 50, []arrow.DataType{dt}, []cells{c}, len(arrowNeighbours), codec.option...)
			checkFile(t, file, []string{"a"}, c)
			to := shifted(c.typ, 16, true)
			var drop []string
			for i := -1; i < len(arrowNeighbours); i++ { // drop nothing, then every column alone, then more and more
				if i >= 0 {
					one := []string{fmt.Sprint("n", i)}
					checkRewritten(t, file, rewrite(t, file, table.Request{Private: []string{"a"}, Drop: one}, false,
						to), one, []string{"a"}, expected(c, to, false))
					drop = append(drop, one...)
				}
				checkRewritten(t, file, rewrite(t, file, table.Request{Private: []string{"a"}, Drop: drop}, false, to),
					drop, []string{"a"}, expected(c, to, false))
			}
		}
	}
}

func TestArrowRewriteWidensIndices(t *testing.T) {
	for _, w := range []struct {
		from    arrow.DataType
		letters int
		to      arrow.DataType
	}{
		{arrow.PrimitiveTypes.Int8, 128, arrow.PrimitiveTypes.Int8},
		{arrow.PrimitiveTypes.Int8, 129, arrow.PrimitiveTypes.Int16},
		{arrow.PrimitiveTypes.Uint8, 256, arrow.PrimitiveTypes.Uint8},
		{arrow.PrimitiveTypes.Uint8, 257, arrow.PrimitiveTypes.Uint16},
		{arrow.PrimitiveTypes.Int8, 32769, arrow.PrimitiveTypes.Int32},
		{arrow.PrimitiveTypes.Uint64, 300, arrow.PrimitiveTypes.Uint64},
	} {
		c := makeCells(table.Type{Kind: table.Date}, 2*w.letters+100, 20, nil)
		to := shifted(c.typ, w.letters, false)
		file := writeArrow(t, 1<<20, []arrow.DataType{&arrow.DictionaryType{IndexType: w.from,
			ValueType: arrow.FixedWidthTypes.Date32}}, []cells{c}, 0)
		after := rewrite(t, file, table.Request{Private: []string{"a"}}, false, to)
		checkRewritten(t, file, after, nil, []string{"a"}, expected(c, to, false))
		schema, _ := readRecords(t, after)
		if got := schema.Field(0).Type.(*arrow.DictionaryType).IndexType; got != w.to {
			t.Errorf("%d letters: index type %v became %v, want %v", w.letters, w.from, got, w.to)
		}
	}
}

// What was asked for stays, and all that is said of a kept column and of what
// is below it.
func TestArrowRewriteMetadata(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 10, 3, nil)
	kv := arrow.MetadataFrom(map[string]string{"keep": "1", "go": "2"})
	own := arrow.MetadataFrom(map[string]string{"keep": "1", "go": "2", "ARROW:extension:name": "note",
		"ARROW:extension:metadata": "of a kind"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Metadata: own},
		{Name: "n", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Metadata: own}),
			Metadata: own}}, &kv)
	n, _, err := array.FromJSON(memory.DefaultAllocator, schema.Field(1).Type,
		bytes.NewReader([]byte(`[{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1}]`)))
	must(t, err)
	file := writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema,
		[]arrow.Array{arrowArray(t, arrow.BinaryTypes.String, c, 0, 10), n}, 10)})
	got, _ := readRecords(t, rewrite(t, file, table.Request{Private: []string{"a"}, Metadata: []string{"keep"}}, false,
		shifted(c.typ, 2, false)))
	one := arrow.MetadataFrom(map[string]string{"keep": "1"})
	inner := got.Field(1).Type.(*arrow.StructType).Field(0).Metadata
	if !got.Metadata().Equal(one) || !got.Field(1).Metadata.Equal(own) || !inner.Equal(own) {
		t.Errorf("metadata %v, %v, %v; want %v and %v", got.Metadata(), got.Field(1).Metadata, inner, one, own)
	}
	if got.Field(0).Metadata.Len() != 0 {
		t.Errorf("the private column keeps metadata %v", got.Field(0).Metadata)
	}
}
