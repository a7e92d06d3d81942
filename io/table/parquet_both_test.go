package table_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// checkParquet reads a rewritten file with both libraries and this package:
// the columns name hold want, those in gone are not there, and all others are
// what they were, byte for byte.
func checkParquet(t *testing.T, before, after []byte, gone, name []string, want ...cells) {
	t.Helper()
	checkChunks(t, before, after, gone, name)
	checkWithArrowGo(t, before, after, gone, name, want)
	checkWithParquetGo(t, before, after, gone, name, want)
	checkFile(t, after, name, want...)
}

// checkChunks compares what is copied as bytes, and that chunks do not share
// any.
func checkChunks(t *testing.T, before, after []byte, gone, name []string) {
	t.Helper()
	was, err := parquetmeta.ReadFooter(bytes.NewReader(before), int64(len(before)))
	if err != nil {
		t.Fatal(err)
	}
	is, err := parquetmeta.ReadFooter(bytes.NewReader(after), int64(len(after)))
	if err != nil {
		t.Fatal(err)
	}
	for g := range was.Groups {
		at := 0
		for l := range was.Leaves {
			if slices.Contains(gone, was.Leaves[l].Path[0]) {
				continue
			}
			if is.Leaves[at].Name() != was.Leaves[l].Name() {
				t.Fatalf("leaf %d is %s, want %s", at, is.Leaves[at].Name(), was.Leaves[l].Name())
			}
			a, b := was.Groups[g].Chunks[l], is.Groups[g].Chunks[at]
			if !slices.Contains(name, was.Leaves[l].Name()) && !bytes.Equal(before[a.Start:][:a.Size],
				after[b.Start:][:b.Size]) {
				t.Fatalf("row group %d: copied chunk of %s differs", g, was.Leaves[l].Name())
			}
			at++
		}
	}
}

func readTable(t *testing.T, file []byte) arrow.Table {
	t.Helper()
	table, err := pqarrow.ReadTable(context.Background(), bytes.NewReader(file),
		arrowparquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{},
		memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func checkWithArrowGo(t *testing.T, before, after []byte, gone, name []string, want []cells) {
	t.Helper()
	was, is := readTable(t, before), readTable(t, after)
	defer was.Release()
	defer is.Release()
	at := 0
	for i, field := range was.Schema().Fields() {
		if slices.Contains(gone, field.Name) {
			continue
		}
		got := is.Column(at)
		at++
		if got.Name() != field.Name || got.Field().Nullable != field.Nullable {
			t.Fatalf("column %v, want %v", got.Field(), field)
		}
		k := slices.Index(name, field.Name)
		if k < 0 {
			if !arrow.TypeEqual(got.DataType(), field.Type) || !array.ChunkedEqual(got.Data(), was.Column(i).Data()) {
				t.Fatalf("kept column %v differs", field)
			}
			continue
		}
		row := 0
		for _, chunk := range got.Data().Chunks() {
			for j := range chunk.Len() {
				if chunk.IsNull(j) != want[k].null[row] {
					t.Fatalf("arrow-go, column %s, row %d: null is %v", field.Name, row, chunk.IsNull(j))
				}
				if chunk.IsValid(j) && arrowLabel(t, chunk, j) != want[k].typ.Label(want[k].value[row]) {
					t.Fatalf("arrow-go, column %s, row %d: another value", field.Name, row)
				}
				row++
			}
		}
		if row != len(want[k].value) {
			t.Fatalf("arrow-go, column %s: %d rows", field.Name, row)
		}
	}
	if at != int(is.NumCols()) {
		t.Fatalf("%d columns, want %d", is.NumCols(), at)
	}
}

// readLeaves are the values of every leaf with their levels.
func readLeaves(t *testing.T, file []byte) map[string][]parquet.Value {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[string][]parquet.Value{}
	for _, group := range f.RowGroups() {
		for i, path := range f.Schema().Columns() {
			key := ""
			for _, part := range path {
				key += "." + part
			}
			pages := group.ColumnChunks()[i].Pages()
			for {
				page, err := pages.ReadPage()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				values := make([]parquet.Value, page.NumValues())
				n, err := page.Values().ReadValues(values)
				if n != len(values) || err != nil && err != io.EOF {
					t.Fatalf("%d of %d values, %v", n, len(values), err)
				}
				for _, v := range values {
					leaves[key] = append(leaves[key], v.Clone())
				}
			}
			pages.Close()
		}
	}
	return leaves
}

func checkWithParquetGo(t *testing.T, before, after []byte, gone, name []string, want []cells) {
	t.Helper()
	was, is := readLeaves(t, before), readLeaves(t, after)
	for key, old := range was {
		if slices.ContainsFunc(gone, func(g string) bool {
			return key == "."+g || len(key) > len(g)+1 &&
				key[:len(g)+2] == "."+g+"."
		}) {
			if is[key] != nil {
				t.Fatalf("column %s is still there", key)
			}
			continue
		}
		k := slices.Index(name, key[1:])
		if len(is[key]) != len(old) {
			t.Fatalf("parquet-go, column %s: %d values, want %d", key, len(is[key]), len(old))
		}
		for row, v := range is[key] {
			if k < 0 {
				if o := old[row]; !parquet.Equal(v, o) || v.DefinitionLevel() != o.DefinitionLevel() ||
					v.RepetitionLevel() != o.RepetitionLevel() {
					t.Fatalf("kept column %s differs in row %d", key, row)
				}
				continue
			}
			if v.IsNull() != want[k].null[row] {
				t.Fatalf("parquet-go, column %s, row %d: null is %v", key, row, v.IsNull())
			}
			if !v.IsNull() && parquetGoCell(v) != storedCell(want[k], row) {
				t.Fatalf("parquet-go, column %s, row %d: another value", key, row)
			}
		}
	}
}

func parquetGoCell(v parquet.Value) table.Value {
	switch v.Kind() {
	case parquet.ByteArray:
		return table.Value{Bytes: string(v.ByteArray())}
	case parquet.Boolean:
		if v.Boolean() {
			return table.Value{Int: 1}
		}
		return table.Value{}
	case parquet.Int32:
		return table.Value{Int: int64(v.Int32())}
	}
	return table.Value{Int: v.Int64()}
}

// storedCell is a cell as it is stored: unsigned numbers by their bits.
func storedCell(c cells, row int) table.Value {
	v := c.value[row]
	if c.typ.Kind == table.Integer && c.typ.Bits < 64 {
		v.Int = int64(int32(v.Int))
	}
	return v
}
