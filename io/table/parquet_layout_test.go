package table_test

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

func TestParquetRewriteKeepsArrowTypes(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 1000, 20, nullPatterns[3].null)
	to := shifted(c.typ, 9, true)
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, dictionaryOfText} {
		file := shapes(t, dt, c, map[string]string{"kept": "word", "other": "word"})
		if !arrow.TypeEqual(readTable(t, file).Schema().Field(2).Type, dt) {
			t.Fatalf("control: the input does not read as %v", dt)
		}
		after := rewrite(t, file, table.Request{Private: []string{"a"}, Drop: []string{"u"},
			Metadata: []string{"kept"}}, false, to)
		checkRewritten(t, file, after, []string{"u"}, []string{"a"}, expected(c, to, false))
		schema := readTable(t, after).Schema()
		if got := schema.Field(1).Type; !arrow.TypeEqual(got, dt) {
			t.Errorf("%v became %v", dt, got)
		}
		pairs := fileMetadata(t, after)
		if got := slices.Sorted(maps.Keys(pairs)); !slices.Equal(got, []string{"ARROW:schema", "kept", "tacet"}) ||
			pairs["kept"] != "word" {
			t.Errorf("file metadata %v", got)
		}
		arrowSchema, err := base64.StdEncoding.DecodeString(pairs["ARROW:schema"])
		must(t, err)
		if bytes.Count(arrowSchema, []byte("kept")) != 1 || bytes.Contains(arrowSchema, []byte("other")) ||
			bytes.Count(arrowSchema, []byte("stays")) != 3 {
			t.Error("the Arrow schema holds more metadata than was to be kept, or less")
		}
	}
}

// Some writers say of a chunk without rows that its data begins at 0. It still
// must when the chunk moves towards the start of the file.
func TestParquetRewriteChunksWithoutData(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 0, 5, nullPatterns[1].null)
	file := editFooter(t, shapes(t, arrow.BinaryTypes.String, c, nil), func(f *parquetmeta.Footer) {
		for l := range f.Leaves {
			columnOf(f, 0, l).Set(parquetmeta.ColumnDataPage, parquetmeta.Int(parquetmeta.I64, 0))
		}
	})
	after := rewrite(t, file, table.Request{Private: []string{"a"}, Drop: []string{"s"}}, false,
		shifted(c.typ, 9, true))
	checkRewritten(t, file, after, []string{"s"}, []string{"a"}, cells{typ: c.typ})
	f, err := parquetmeta.ReadFooter(bytes.NewReader(after), int64(len(after)))
	must(t, err)
	for l := range f.Leaves {
		if at := f.Groups[0].Chunks[l].DataPage; at < 0 || f.Leaves[l].Name() != "a" && at != 0 {
			t.Errorf("column %s begins at %d", f.Leaves[l].Name(), at)
		}
	}
}

// What a footer says beside the format's fields, and of chunks in words of the writer's own, may
// hold values: of the private column and of the whole file nothing of it is written.
func TestParquetRewriteUnknownFields(t *testing.T) {
	const word = "a value that is told"
	c := makeCells(table.Type{Kind: table.Text}, 500, 20, nullPatterns[3].null)
	to := shifted(c.typ, 9, true)
	unknown := parquetmeta.String(word)
	pair := parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: parquetmeta.String("note")},
		parquetmeta.Field{ID: 2, Value: unknown})
	file := editFooter(t, writeArrowGo(t, 200, []cells{c, c}), func(f *parquetmeta.Footer) {
		f.Meta.Set(100, unknown)
		schema := f.Meta.Get(parquetmeta.MetaSchema)
		schema.At(0).Set(100, unknown)
		schema.At(1).Set(100, unknown)
		for g := range f.Groups {
			f.Meta.Get(parquetmeta.MetaGroups).At(g).Set(100, unknown)
			columnOf(f, g, 0).Set(100, unknown)
			for l := range f.Leaves {
				chunkOf(f, g, l).Set(100, unknown)
				columnOf(f, g, l).Set(parquetmeta.ColumnKeyValue,
					parquetmeta.NewList(parquetmeta.Record, pair))
			}
		}
	})
	if n := bytes.Count(file, []byte(word)); n < 20 {
		t.Fatalf("control: %d words", n)
	}
	after := rewrite(t, file, table.Request{Private: []string{"a"}}, false, to)
	checkRewritten(t, file, after, nil, []string{"a"}, expected(c, to, false))
	if n := bytes.Count(after, []byte(word)); n > 0 {
		t.Errorf("%d words are written", n)
	}
}
