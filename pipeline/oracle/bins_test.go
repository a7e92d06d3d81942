package oracle

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// edgesSaid are the edges that the sentence on bins names.
var edgesSaid = regexp.MustCompile(`their edges are (.*), and each holds its lower edge and not its upper one`)

// TestBinsAreThoseSaid reads the edges out of the sentence on bins, as its reader would, and
// puts the raw values into them: so many records has each value of the report, and nothing
// else is published.
func TestBinsAreThoseSaid(t *testing.T) {
	type amount struct {
		N int64 `parquet:"n"`
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 8))
		var rows []amount
		for range 200 {
			rows = append(rows, amount{r.Int64N(60) - 20})
		}
		edges := []string{"-20", "-5", "0", fmt.Sprint(1 + r.IntN(9)), "20", "40"}
		if seed%2 == 0 {
			edges[0], edges[5] = "-inf", "inf"
		}
		dir := t.TempDir()
		o := pipeline.Options{Input: filepath.Join(dir, "in.parquet"), Column: "n", Bins: strings.Join(edges, ","),
			Epsilon: "1.5", Output: filepath.Join(dir, "out.parquet"), Report: filepath.Join(dir, "report"), TestSeed: &seed,
			Audit: "off"}
		if err := parquet.WriteFile(o.Input, rows); err != nil {
			t.Fatal(err)
		}
		if _, err := pipeline.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(o.Report, "report.json"))
		if err != nil {
			t.Fatal(err)
		}
		told, _, err := report.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := claim.Find(told.Claims, "bins")
		said := edgesSaid.FindStringSubmatch(c.Words)
		if !ok || said == nil || !c.Public {
			t.Fatalf("%+v", c)
		}
		ends := strings.Split(said[1], ", ")
		want := map[string]int64{}
		for _, row := range rows {
			for i := range ends[1:] {
				lo, hi := end(t, ends[i]), end(t, ends[i+1])
				if v := float64(row.N); lo <= v && v < hi {
					want[named(lo, hi)]++
				}
			}
		}
		got := map[string]int64{}
		for _, cap := range told.Caps {
			got[cap.Label.Text] = cap.Records
		}
		if !maps.Equal(got, want) {
			t.Errorf("seed %d: %v records, and %v by the edges of the sentence", seed, got, want)
		}
		for _, cell := range cellsOf(t, o.Output) {
			if want[cell] == 0 {
				t.Errorf("seed %d: %q was published", seed, cell)
			}
		}
	}
}

func end(t *testing.T, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// named is a bin of integers as docs/bins.md says that it is published.
func named(lo, hi float64) string {
	switch {
	case math.IsInf(lo, -1):
		return fmt.Sprintf("<%.0f", hi)
	case math.IsInf(hi, 1):
		return fmt.Sprintf(">=%.0f", lo)
	case hi == lo+1:
		return fmt.Sprintf("%.0f", lo)
	case lo < 0:
		return fmt.Sprintf("%.0f to %.0f", lo, hi-1)
	}
	return fmt.Sprintf("%.0f-%.0f", lo, hi-1)
}

// cellsOf are the cells of a file of one text column.
func cellsOf(t *testing.T, path string) (cells []string) {
	type cell struct {
		N string `parquet:"n"`
	}
	rows, err := parquet.ReadFile[cell](path)
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, row := range rows {
		cells = append(cells, row.N)
	}
	return cells
}
