package pipeline_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
)

// alarm is how often a correct file fails one of the tests below, by the
// finite-sample bound of package estimate. Seeds are fixed, so a run that has
// passed does so again.
const alarm = 1e-9

// A law is the rows that records were drawn from: weight by output, by input.
type law map[string]map[string]int64

// uniform is the law of equal weights on these sets.
func uniform(sets map[string][]string) law {
	l := law{}
	for x, set := range sets {
		l[x] = map[string]int64{}
		for _, y := range set {
			l[x][y] = 1
		}
	}
	return l
}

// compare pairs up the cells of two columns and compares them with a law. The
// letters are numbered here, whatever order the run gave them.
func compare(t *testing.T, l law, in, out []string) estimate.Goodness {
	t.Helper()
	if len(in) != len(out) {
		t.Fatalf("%d records were written, %d read", len(out), len(in))
	}
	input, output := slices.Sorted(maps.Keys(l)), map[string]bool{}
	for _, row := range l {
		for y := range row {
			output[y] = true
		}
	}
	outputs := slices.Sorted(maps.Keys(output))
	var rows []mechanism.Row
	for _, x := range input {
		var ys []uint16
		var weight []int64
		for i, y := range outputs {
			if w, ok := l[x][y]; ok {
				ys, weight = append(ys, uint16(i)), append(weight, w)
			}
		}
		rows = append(rows, mechanism.WeightedRow(ys, weight))
	}
	m, err := mechanism.New(len(outputs), rows)
	if err != nil {
		t.Fatal(err)
	}
	numbered := func(cells, letters []string) []int32 {
		place := map[string]int32{}
		for i, l := range letters {
			place[l] = int32(i)
		}
		list := make([]int32, len(cells))
		for i, c := range cells {
			x, ok := place[c]
			if !ok {
				t.Fatalf("row %d holds what is no letter", i+1)
			}
			list[i] = x
		}
		return list
	}
	pairs := estimate.NewPairs(len(input), len(outputs))
	pairs.Add(numbered(in, input), numbered(out, outputs))
	return pairs.Fit(m)
}

// TestReleasedUniform: every record of the flights is replaced by one of the
// nearest airports, each as often as any other.
func TestReleasedUniform(t *testing.T) {
	for _, c := range []struct {
		path    string
		allowed int
	}{{tables + "flights.parquet", 99}, {large, 100}} {
		if _, err := os.Stat(c.path); err != nil {
			continue
		}
		dir := t.TempDir()
		r := run(t, flights(dir, c.path, 1))
		before, after := parquetGoColumns(t, c.path, "origin")["origin"], parquetGoColumns(t, filepath.Join(dir, "out"),
			"origin")["origin"]
		letters := distinct(before)
		sets := nearest(t, letters, c.allowed)
		if fit := compare(t, uniform(sets), before, after); !fit.Accepts(alarm) || fit.Rows != len(letters) ||
			fit.Records != r.Records {
			t.Errorf("%s: %+v", c.path, fit)
		}
		// All rows are alike, so that places in them may be counted together.
		places, name := law{"any": {}}, map[[2]string]string{}
		for i := range c.allowed {
			places["any"][strconv.Itoa(i)] = 1
			for x, set := range sets {
				name[[2]string{x, set[i]}] = strconv.Itoa(i)
			}
		}
		any, place := make([]string, len(before)), make([]string, len(before))
		for i, x := range before {
			any[i], place[i] = "any", name[[2]string{x, after[i]}]
		}
		if fit := compare(t, places, any, place); !fit.Accepts(alarm) {
			t.Errorf("%s: by distance: %+v", c.path, fit)
		}
		// The test sees one airport too few, and one that comes a little oftener.
		if c.path == large {
			continue
		}
		if fit := compare(t, uniform(nearest(t, letters, c.allowed-1)), before, after); fit.Forbidden < 1000 {
			t.Errorf("control: only %d records hold the farthest airport", fit.Forbidden)
		}
		for y := range places["any"] {
			places["any"][y] = 4
		}
		if places["any"]["0"] = 7; compare(t, places, any, place).Accepts(alarm) {
			t.Error("control: another law is accepted")
		}
		same(t, "read with the other library", arrowColumns(t, filepath.Join(dir, "out"), "origin"), columns{"origin": after},
			"origin")
	}
}

func distinct(cells []string) []string {
	seen := map[string]bool{}
	for _, c := range cells {
		seen[c] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

type weighted struct {
	N int64 `parquet:"n"`
}

// unequal writes rows with letters 0..11 of unlike frequencies.
func unequal(t *testing.T, path string, rows int) (records []string) {
	t.Helper()
	shares := []int{30, 17, 1, 8, 25, 3, 2, 9, 14, 6, 21, 11}
	var urn []int64
	for x, share := range shares {
		for range share {
			urn = append(urn, int64(x))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	column := make([]weighted, rows)
	for i := range column {
		column[i].N = urn[r.IntN(len(urn))]
		records = append(records, strconv.FormatInt(column[i].N, 10))
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := parquet.NewGenericWriter[weighted](f, parquet.MaxRowsPerRowGroup(30_000))
	if _, err := w.Write(column); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return records
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
