package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
)

// What a run wrote is read here with the two libraries alone; expected_test.go
// computes from the input and the positions alone what it should be.

const (
	tables = "../testdata/tables/"
	large  = "../../shared/data/flights-3m.parquet" // used where it is at hand
)

// columns are all cells of a file as text, by column.
type columns map[string][]string

// parquetGoColumns reads columns of a Parquet file with parquet-go.
func parquetGoColumns(t *testing.T, path string, names ...string) columns {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all, buffer := columns{}, make([]parquet.Value, 1000)
	for _, group := range f.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			name := f.Schema().Columns()[i][0]
			if !slices.Contains(names, name) {
				continue
			}
			pages := chunk.Pages()
			for {
				page, err := pages.ReadPage()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for values := page.Values(); ; {
					n, err := values.ReadValues(buffer)
					for _, v := range buffer[:n] {
						all[name] = append(all[name], v.String())
					}
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				parquet.Release(page)
			}
			pages.Close()
		}
	}
	return all
}

// arrowTable reads a Parquet or Arrow IPC file with arrow-go.
func arrowTable(t *testing.T, path string) arrow.Table {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(data, []byte("PAR1")) {
		f, err := arrowfile.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		table, err := r.ReadTable(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var records []arrow.RecordBatch
	for i := range r.NumRecords() {
		b, err := r.RecordBatch(i)
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		records = append(records, b)
	}
	return array.NewTableFromRecords(r.Schema(), records)
}

// arrowColumns are the cells of arrowTable, written as parquet-go writes them.
func arrowColumns(t *testing.T, path string, names ...string) columns {
	t.Helper()
	table := arrowTable(t, path)
	all := columns{}
	for i, field := range table.Schema().Fields() {
		if !slices.Contains(names, field.Name) {
			continue
		}
		for _, chunk := range table.Column(i).Data().Chunks() {
			for row := range chunk.Len() {
				all[field.Name] = append(all[field.Name], arrowCell(t, chunk, row))
			}
		}
	}
	return all
}

func arrowCell(t *testing.T, a arrow.Array, row int) string {
	if a.IsNull(row) {
		return "<null>"
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return arrowCell(t, a.Dictionary(), a.GetValueIndex(row))
	case *array.Timestamp:
		return strconv.FormatInt(int64(a.Value(row)), 10)
	case *array.Int64, *array.String, *array.LargeString:
		return a.ValueStr(row)
	}
	t.Fatalf("no text for %v", a.DataType())
	return ""
}

// same fails unless the columns named are equal, cell by cell.
func same(t *testing.T, what string, got, want columns, names ...string) {
	t.Helper()
	for _, name := range names {
		if len(want[name]) == 0 || !slices.Equal(got[name], want[name]) {
			t.Errorf("%s: column %s differs (%d rows, want %d)", what, name, len(got[name]), len(want[name]))
		}
	}
}
