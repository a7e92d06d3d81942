package pipeline_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/pipeline"
)

// What `tacet run` does, from a program: a column of a file is privatized, and
// the report comes back as a value and as files.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	reports, err := pipeline.Run(context.Background(), pipeline.Options{
		Input: "../testdata/tables/flights.parquet", Column: "origin", Drop: []string{"destination", "distance"},
		Utility: "positions:../testdata/tables/airports.csv", MaxFactor: "4", Design: "safe",
		Output: filepath.Join(dir, "flights.parquet"), Report: filepath.Join(dir, "report"),
	})
	if err != nil {
		log.Fatal(err)
	}
	r := reports[0]
	fmt.Printf("%d records, %d letters: e^epsilon = %s, every replacement %s\n", r.Records, r.Letters, r.Epsilon.Factor,
		r.Floor.InWords)
	// Output:
	// 200000 records, 228 letters: e^epsilon = 200000/50113, every replacement at most 9477.1 km away
}
