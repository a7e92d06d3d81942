package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No raw value escapes: inputs hold tokens wherever a raw value may stand, and
// after a run no byte that was produced holds one, in any form, while the same
// search finds them all in the input.
//
// Plan, order and the full internal report hold the letters of the input: they
// are the owner's, have mode 0600 and are left out of the search. The other
// files may be shown to somebody and are searched: the output, the short
// report, and all that is public.

var confidential = []string{"report/plan.json", "report/order.csv", "report/report.json", "report/report.html"}

// spec writes a matrix whose outputs are no letters of the input. Without
// letters, their rows are missing.
func spec(t *testing.T, dir string, c canary, without ...token) string {
	t.Helper()
	outputs := []string{"ash", "birch", "cedar", "dogwood"}
	if c.integer {
		outputs = []string{"1", "2", "3", "4"}
	}
	b := "," + strings.Join(outputs, ",") + "\n"
	for i, k := range c.letter {
		if !slices.Contains(without, k) {
			row := []string{"0,-1,-2,-3", "-1,0,-1,-2", "-2,-1,0,-1", "-3,-2,-1,0"}
			b += k.text + "," + row[i%4] + "\n"
		}
	}
	return "matrix:" + writeFile(t, filepath.Join(dir, "u.csv"), []byte(b))
}

// runArgs are the flags of a run into dir.
func runArgs(dir, input, utility string, more ...string) []string {
	return append([]string{"run", "--input", input, "--column", "secret", "--utility", utility, "--epsilon", "0.8",
		"--design", "safe",
		"--output", filepath.Join(dir, "out"), "--report", filepath.Join(dir, "report"), "--test-seed", "3"}, more...)
}

func TestCanary(t *testing.T) {
	for _, c := range canaries(t) {
		t.Run(c.name, func(t *testing.T) {
			before := exposed(t, c.file)
			for _, k := range c.planted {
				if k.in(before) < 0 {
					t.Errorf("control: the token of %s is not found in the input", k.place)
				}
			}
			dir, given := t.TempDir(), t.TempDir()
			input := writeFile(t, filepath.Join(given, "in"), c.file)
			done := tacet(t, runArgs(dir, input, spec(t, given, c), "--null", "public", "--audit", "off")...)
			done.want(t, 0)
			clean(t, "standard output", []byte(done.stdout), c.planted)
			files := snapshot(t, dir)
			if len(files) != len(released) {
				t.Errorf("%d files were written, want %d", len(files), len(released))
			}
			for name, data := range files {
				if slices.Contains(confidential, strings.TrimPrefix(name, "/")) {
					if !strings.HasPrefix(data, "-rw-------\n") || c.letter[0].in([]byte(data)) < 0 {
						t.Errorf("%s has mode %.10s or lacks the letters", name, data)
					}
					continue
				}
				clean(t, name, []byte(data), c.planted)
			}
			output := readFile(t, filepath.Join(dir, "out"))
			clean(t, "the output, decompressed", exposed(t, output), c.planted)
			if bytes.HasPrefix(output, []byte("PAR1")) {
				checkStructures(t, c.file, output)
			}
		})
	}
}

// checkStructures looks for what a search for tokens cannot see: filters,
// indexes and orders that were made from raw values.
func checkStructures(t *testing.T, before, after []byte) {
	t.Helper()
	if was := secretChunks(t, before); was.blooms == 0 || was.indexes == 0 || was.sorted == 0 {
		t.Errorf("control: the input has %+v", was)
	}
	if is := secretChunks(t, after); is.blooms != 0 || is.sorted != 0 || is.gaps != 0 {
		t.Errorf("the output has %+v", is)
	}
}

// structures counts what chunks of the private column have beside pages, and
// gaps between any chunks. Room that the writer reserved and did not need is
// zeros and no gap.
type structures struct{ blooms, indexes, sorted, gaps int }

func secretChunks(t *testing.T, file []byte) (s structures) {
	t.Helper()
	end := int64(4)
	for _, group := range parquetFooter(t, file).RowGroups {
		for i, chunk := range group.Columns {
			start := chunkStart(&chunk.MetaData)
			if len(bytes.Trim(file[end:start], "\x00")) > 0 || chunk.FileOffset != 0 {
				s.gaps++
			}
			end = start + chunk.MetaData.TotalCompressedSize
			if chunk.MetaData.PathInSchema[0] != "secret" {
				continue
			}
			if chunk.MetaData.BloomFilterOffset != 0 {
				s.blooms++
			}
			if chunk.ColumnIndexOffset != 0 {
				s.indexes++
			}
			for _, by := range group.SortingColumns {
				if by.ColumnIdx == int32(i) {
					s.sorted++
				}
			}
		}
	}
	return s
}
