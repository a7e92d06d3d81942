package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

const tables = "../testdata/tables/"

// A stratumRow has a private value and the stratum it is in.
type stratumRow struct {
	X string `parquet:"x"`
	W string `parquet:"w"`
}

var four = []string{"a", "b", "c", "d"}

// A flight is a row of flights.parquet.
type flight struct {
	Date        time.Time `parquet:"date,timestamp"`
	Delay       int64     `parquet:"delay"`
	Distance    int64     `parquet:"distance"`
	Origin      string    `parquet:"origin,dict"`
	Destination string    `parquet:"destination,dict"`
}

// fewFlights is a file of the first 20,000 flights in four row groups.
func fewFlights(t *testing.T) string {
	t.Helper()
	rows, err := parquet.ReadFile[flight](tables + "flights.parquet")
	must(t, err)
	path := filepath.Join(t.TempDir(), "flights.parquet")
	must(t, parquet.WriteFile(path, rows[:20_000], parquet.MaxRowsPerRowGroup(5000)))
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
	must(t, err)
	return data
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
