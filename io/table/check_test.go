package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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

// checkRewritten reads a rewritten file with the libraries of its format and with this
// package: the columns name hold want, those in gone are not there, and all others are what
// they were.
func checkRewritten(t *testing.T, before, after []byte, gone, name []string, want ...cells) {
	t.Helper()
	checkFile(t, after, name, want...)
	isParquet := bytes.HasPrefix(before, []byte("PAR1"))
	if isParquet {
		checkChunks(t, before, after, gone, name)
		checkLeaves(t, before, after, gone, name, want)
	} else if !bytes.HasPrefix(before, []byte("ARROW1")) {
		return
	}
	was, is := readTable(t, before), readTable(t, after)
	at := 0
	for i, f := range was.Schema().Fields() {
		if slices.Contains(gone, f.Name) {
			continue
		}
		got := is.Column(at)
		at++
		k := slices.Index(name, f.Name)
		switch {
		case got.Name() != f.Name:
			t.Fatalf("column %d is %v, want %v", at-1, got.Field(), f)
		case k < 0 && (!arrow.TypeEqual(got.DataType(), f.Type) || got.Field().Nullable != f.Nullable):
			t.Fatalf("kept column %v became %v", f, got.Field())
		case k < 0 && !array.ChunkedEqual(got.Data(), was.Column(i).Data()):
			t.Fatalf("kept column %v differs", f)
		case k >= 0 && !keepsType(f.Type, got.DataType(), want[k].typ):
			t.Fatalf("private column %v became %v", f, got.Field())
		}
		row := 0
		for j, chunk := range got.Data().Chunks() {
			if v, ok := chunk.(interface{ ValidateFull() error }); ok && v.ValidateFull() != nil {
				t.Fatalf("column %v: %v", f, v.ValidateFull())
			}
			if k >= 0 {
				part := cells{typ: want[k].typ, value: want[k].value[row:], null: want[k].null[min(row, len(want[k].null)):]}
				checkColumn(t, chunk, part)
				row += chunk.Len()
			} else if !isParquet && chunk.Len() != was.Column(i).Data().Chunk(j).Len() {
				t.Fatalf("record batch %d has %d rows", j, chunk.Len())
			}
		}
		if k >= 0 && row != len(want[k].value) {
			t.Fatalf("private column %v has %d rows", f, row)
		}
	}
	if at != int(is.NumCols()) {
		t.Fatalf("%d columns, want %d", is.NumCols(), at)
	}
}

// keepsType reports whether a column is of the type that it was, or of text where values of
// another type became that. A dictionary stays one.
func keepsType(was, is arrow.DataType, to table.Type) bool {
	if d, ok := is.(*arrow.DictionaryType); ok {
		old, ok := was.(*arrow.DictionaryType)
		return ok && keepsType(old.ValueType, d.ValueType, to)
	}
	if slices.ContainsFunc(arrowStorage(to), func(dt arrow.DataType) bool { return arrow.TypeEqual(dt, was) }) {
		return arrow.TypeEqual(was, is)
	}
	return is.ID() == arrow.STRING
}

// checkColumn compares an array with cells.
func checkColumn(t *testing.T, a arrow.Array, want cells) {
	t.Helper()
	nulls := 0
	for i := range a.Len() {
		null := want.null != nil && want.null[i]
		if null != a.IsNull(i) {
			t.Fatalf("row %d: null is %v", i, a.IsNull(i))
		}
		if null {
			nulls++
		} else if got, label := a.ValueStr(i), textOf(want.typ, want.value[i]); got != label {
			t.Fatalf("row %d is %q, want %q", i, got, label)
		}
	}
	if a.NullN() != nulls {
		t.Fatalf("%d nulls, want %d", a.NullN(), nulls)
	}
}

// readTable reads a file of Parquet or Arrow with arrow-go.
func readTable(t *testing.T, file []byte) arrow.Table {
	t.Helper()
	if !bytes.HasPrefix(file, []byte("PAR1")) {
		return array.NewTableFromRecords(readRecords(t, file))
	}
	table, err := parquetTable(file)
	must(t, err)
	return table
}

func parquetTable(file []byte) (arrow.Table, error) {
	return pqarrow.ReadTable(context.Background(), bytes.NewReader(file),
		arrowparquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
}

// checkChunks compares what is copied as bytes, and that chunks do not share
// any.
func checkChunks(t *testing.T, before, after []byte, gone, name []string) {
	t.Helper()
	was, err := parquetmeta.ReadFooter(bytes.NewReader(before), int64(len(before)))
	must(t, err)
	is, err := parquetmeta.ReadFooter(bytes.NewReader(after), int64(len(after)))
	must(t, err)
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

// readLeaves are the values of every leaf with their levels, as parquet-go reads them.
func readLeaves(file []byte) (leaves map[string][]parquet.Value, err error) {
	defer caught(&err)
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	leaves = map[string][]parquet.Value{}
	for _, group := range f.RowGroups() {
		for i, path := range f.Schema().Columns() {
			key, pages := strings.Join(path, "."), group.ColumnChunks()[i].Pages()
			defer pages.Close()
			for {
				page, err := pages.ReadPage()
				if err == io.EOF {
					break
				} else if err != nil {
					return nil, err
				}
				values := make([]parquet.Value, page.NumValues())
				if n, err := page.Values().ReadValues(values); n != len(values) || err != nil && err != io.EOF {
					return nil, fmt.Errorf("%d of %d values: %w", n, len(values), err)
				}
				for _, v := range values {
					leaves[key] = append(leaves[key], v.Clone())
				}
			}
		}
	}
	return leaves, nil
}

// checkLeaves compares what parquet-go reads.
func checkLeaves(t *testing.T, before, after []byte, gone, name []string, want []cells) {
	t.Helper()
	was, err := readLeaves(before)
	is, err2 := readLeaves(after)
	must(t, errors.Join(err, err2))
	for key, old := range was {
		if top, _, _ := strings.Cut(key, "."); slices.Contains(gone, top) {
			if is[key] != nil {
				t.Fatalf("column %s is still there", key)
			}
			continue
		}
		k := slices.Index(name, key)
		if len(is[key]) != len(old) {
			t.Fatalf("column %s: %d values, want %d", key, len(is[key]), len(old))
		}
		for row, v := range is[key] {
			o := old[row]
			if k >= 0 {
				o = parquetGoValue(want[k], row, 0)
			}
			if !parquet.Equal(v, o) || k < 0 && (v.DefinitionLevel() != o.DefinitionLevel() ||
				v.RepetitionLevel() != o.RepetitionLevel()) {
				t.Fatalf("column %s differs in row %d", key, row)
			}
		}
	}
}
