package pipeline_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

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

// fewFlights is a file of the first 20,000 flights in four row groups, for what does not
// ask how many there are.
func fewFlights(t *testing.T) string {
	t.Helper()
	table := arrowTable(t, tables+"flights.parquet")
	var columns []arrow.Column
	for i := range int(table.NumCols()) {
		columns = append(columns, *array.NewColumnSlice(table.Column(i), 0, 20_000))
	}
	path := filepath.Join(t.TempDir(), "flights.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := pqarrow.WriteTable(array.NewTable(table.Schema(), columns, 20_000), f, 5000,
		arrowparquet.NewWriterProperties(arrowparquet.WithCompression(compress.Codecs.Zstd)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())); err != nil {
		t.Fatal(err)
	}
	return path
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
		t.Fatal(fmt.Sprint(err, "; hint: ", fault.As(err).Hint))
	}
	return r[0]
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
		Mechanisms []struct {
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
	for _, r := range plan.Mechanisms[0].Rows {
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
