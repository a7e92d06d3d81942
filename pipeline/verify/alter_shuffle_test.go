package verify

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// shuffledRelease is one of rows of which no two are equal in the other columns, or, in
// CSV, of such that many are.
func shuffledRelease(t *testing.T, ext string, doubled bool) *release {
	t.Helper()
	r := &release{dir: t.TempDir()}
	r.input, r.output = filepath.Join(r.dir, "in"+ext), filepath.Join(r.dir, "out"+ext)
	o := pipeline.Options{Input: r.input, Column: "c", Utility: "ordered:a,b,c,d,e", Epsilon: "1.5", Audit: "off",
		Output: r.output, Report: filepath.Join(r.dir, "report"), Shuffle: true}
	seed := uint64(1)
	o.TestSeed = &seed
	if ext == ".csv" {
		var in strings.Builder
		in.WriteString("k,c,d\n")
		for i := range 3000 {
			k := i
			if doubled {
				k /= 100
			}
			fmt.Fprintf(&in, "%d,%s,%d\n", k, abcde[i*i%5], k%7)
		}
		must(t, writeText(r.input, in.String()))
	} else {
		j := job{arrow: ext == ".arrow", cell: strings.Split("aabbcde", ""), rows: 1000}
		j.write(t, r.input)
	}
	_, err := pipeline.Run(context.Background(), o)
	must(t, err)
	r.load(t)
	return r
}

// TestShuffledIsVerified: the release of every format passes, and nothing is skipped that
// could be checked.
func TestShuffledIsVerified(t *testing.T) {
	for _, ext := range []string{".csv", ".parquet", ".arrow", "doubled.csv"} {
		doubled := ext == "doubled.csv"
		r := shuffledRelease(t, filepath.Ext(ext), doubled)
		result, err := Run(context.Background(), r.request())
		must(t, err)
		if failed := result.Failed(); len(failed) > 0 {
			t.Errorf("%s: %v", ext, failed)
		}
		for _, c := range result.Checks {
			if c.Name == "order of the rows" && c.Outcome != document.Passed || c.Name == "utility" &&
				strings.Contains(c.Detail, ", realised ") == doubled {
				t.Errorf("%s: %s: %s", ext, c.Name, c.Detail)
			}
		}
	}
}

// TestAlteredShuffle: rows in the order of the input, and rows that no draw can have
// made, are refused by name, though every hash fits.
func TestAlteredShuffle(t *testing.T) {
	alone, doubled := shuffledRelease(t, ".csv", false), shuffledRelease(t, ".csv", true)
	// byInput puts the rows in the order that the input has.
	byInput := func(b []byte) [][]byte {
		rows := bytes.SplitAfter(b, []byte("\n"))
		rows = rows[1 : len(rows)-1]
		slices.SortStableFunc(rows, func(x, y []byte) int {
			i, _, _ := bytes.Cut(x, []byte(","))
			k, _, _ := bytes.Cut(y, []byte(","))
			return cmp.Or(len(i)-len(k), bytes.Compare(i, k)) // whole numbers
		})
		return rows
	}
	file := func(rows [][]byte) []byte { return append([]byte("k,c,d\n"), bytes.Join(rows, nil)...) }
	swap := func(cells string) func([]byte) []byte {
		return func(b []byte) []byte { // values of two rows change places
			rows := byInput(b)
			var cell [][][]byte
			for _, r := range rows {
				cell = append(cell, bytes.Split(r, []byte(",")))
			}
			for i, x := range cell {
				for k, y := range cell {
					if i != k && x[1][0] == cells[0] && y[1][0] == cells[1] {
						x[1], y[1] = y[1], x[1]
					}
				}
			}
			for i, x := range cell {
				rows[i] = bytes.Join(x, []byte(","))
			}
			return file(rows)
		}
	}
	for _, k := range []struct {
		name, want string
		of         *release
		do         func(b []byte) []byte
	}{
		{"the order of the input", "order of the rows", alone, func(b []byte) []byte { return file(byInput(b)) }},
		{"backwards", "order of the rows", alone, func(b []byte) []byte {
			rows := byInput(b)
			slices.Reverse(rows)
			return file(rows)
		}},
		{"pairs of neighbours", "order of the rows", alone, func(b []byte) []byte {
			rows := byInput(b)
			var out [][]byte
			for i := range len(rows) / 2 {
				k := i * 1111 % (len(rows) / 2)
				out = append(out, rows[2*k], rows[2*k+1])
			}
			return file(out)
		}},
		{"sorted in blocks", "order of the rows", alone, func(b []byte) []byte {
			rows := byInput(b)
			for at := 0; at < len(rows); at += 1000 {
				slices.Reverse(rows[at : at+1000])
			}
			return file(rows)
		}},
		{"nearly the order of the input", "order of the rows", alone, func(b []byte) []byte {
			rows, r := byInput(b), rand.New(rand.NewPCG(1, 1))
			for at := 0; at < len(rows); at += 600 {
				r.Shuffle(600, func(i, k int) { rows[at+i], rows[at+k] = rows[at+k], rows[at+i] })
			}
			return file(rows)
		}},
		{"another cell", "copied columns", alone, func(b []byte) []byte {
			return bytes.Replace(b, []byte("\n7,"),
				[]byte("\n3007,"), 1)
		}},
		{"a row twice", "copied columns", doubled, func(b []byte) []byte {
			return bytes.Replace(b, []byte("\n7,"),
				[]byte("\n8,"), 1)
		}},
		{"another header", "columns", alone, func(b []byte) []byte {
			return bytes.Replace(b, []byte("k,c,d"),
				[]byte("k,c,e"), 1)
		}}, {"values of other rows", "forbidden cells", alone, swap("ae")},
		{"too many of a value among equal rows", "forbidden cells", doubled, func(b []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(",a,0"), []byte(",e,0")), []byte(",b,0"), []byte(",e,0"))
		}},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := k.of.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			data, err := os.ReadFile(r.output)
			must(t, err)
			changed := k.do(bytes.Clone(data))
			if bytes.Equal(changed, data) {
				t.Fatal("nothing was altered")
			}
			must(t, os.WriteFile(r.output, changed, 0o666))
			r.save(t, true)
			r.refused(t, k.want)
		})
	}
	for _, k := range []struct {
		name, want string
		do         func(output map[string]any)
	}{
		{"the order is not told", "copied columns", func(o map[string]any) { delete(o, "order") }},
		{"another order", "output file", func(o map[string]any) { o["order"] = "sorted" }},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := shuffledRelease(t, ".parquet", false)
			k.do(at(r.report, "output"))
			r.save(t, true)
			result, err := Run(context.Background(), r.request())
			must(t, err)
			if !slices.Contains(result.Failed(), k.want) {
				t.Errorf("failed: %v, want %s", result.Failed(), k.want)
			}
		})
	}
}
