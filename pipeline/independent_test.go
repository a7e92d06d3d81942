package pipeline_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
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

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// What a run wrote is read here with the two libraries alone, and what it
// should be is computed from the input and the positions alone.

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

// nearest are, for each of letters, the k nearest of them, by the angle between
// the places in airports.csv.
func nearest(t *testing.T, letters []string, k int) map[string][]string {
	t.Helper()
	f, err := os.Open(tables + "airports.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	place := map[string][2]float64{}
	for _, row := range rows[1:] {
		lat, err1 := strconv.ParseFloat(row[4], 64)
		lon, err2 := strconv.ParseFloat(row[5], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(row)
		}
		place[row[0]] = [2]float64{lat * math.Pi / 180, lon * math.Pi / 180}
	}
	angle := func(a, b string) float64 { // haversine
		p, q := place[a], place[b]
		u, v := math.Sin((p[0]-q[0])/2), math.Sin((p[1]-q[1])/2)
		return 2 * math.Asin(math.Sqrt(u*u+math.Cos(p[0])*math.Cos(q[0])*v*v))
	}
	set := map[string][]string{}
	for _, x := range letters {
		by := slices.Clone(letters)
		slices.SortFunc(by, func(a, b string) int {
			if angle(x, a) < angle(x, b) {
				return -1
			}
			return 1
		})
		// Equally far places would make the set a matter of rounding.
		if !(angle(x, by[k])-angle(x, by[k-1]) > 1e-9) {
			t.Fatalf("the %d nearest of %s are not clear", k, x)
		}
		set[x] = by[:k]
	}
	return set
}

// flights are the options of the main job on input, under a seed.
func flights(dir, input string, seed uint64) pipeline.Options {
	return pipeline.Options{
		Input: input, Column: "origin", Utility: "positions:" + tables + "airports.csv", Epsilon: "4.1", Design: "safe",
		Null: "refuse", Drop: []string{"destination", "distance"}, TestSeed: &seed,
		Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "report"),
	}
}

// run does the job and is its report.
func run(t *testing.T, o pipeline.Options) *report.Report {
	t.Helper()
	r, err := pipeline.Run(context.Background(), o)
	if err != nil {
		t.Fatal(fmt.Sprint(err, "; hint: ", pipeline.AsFault(err).Hint))
	}
	return r
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// planRows are the rows of plan.json: weight by output, by input.
func planRows(t *testing.T, path string) map[string]map[string]int64 {
	t.Helper()
	var plan struct {
		Mechanism struct {
			Rows []struct {
				Input   string
				Outputs [][2]string
			}
		}
	}
	if err := json.Unmarshal(read(t, path), &plan); err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]int64{}
	for _, r := range plan.Mechanism.Rows {
		rows[r.Input] = map[string]int64{}
		for _, o := range r.Outputs {
			w, err := strconv.ParseInt(o[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			rows[r.Input][o[0]] = w
		}
	}
	return rows
}
