package main

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/test/torture"
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

// TestCanaryRefused: what failing runs say and leave behind holds no letter
// that is known from the data alone. A letter that stands in a file of the
// user may be named, so only the others are looked for.
func TestCanaryRefused(t *testing.T) {
	for _, c := range canaries(t) {
		if strings.Contains(c.name, "gaps") || strings.Contains(c.name, "codec") && !strings.HasSuffix(c.name, "codec=0") {
			continue // these differ in nothing that a refusal sees
		}
		t.Run(c.name, func(t *testing.T) {
			dir, given := t.TempDir(), t.TempDir()
			input := writeFile(t, filepath.Join(given, "in"), c.file)
			whole, part := spec(t, given, c), spec(t, t.TempDir(), c, c.letter[0], c.letter[11])
			known := c.letter[1:2]
			few := writeFile(t, filepath.Join(given, "few"), []byte(known[0].text+"\n"))
			refusals := []refusal{
				{"nulls", 3, runArgs(dir, input, whole), c.letter},
				{"order lacks two", 3, runArgs(dir, input, part, "--null", "public"), []token{c.letter[0], c.letter[11]}},
				{"order lacks nearly all", 3, runArgs(dir, input, "ordered:@"+few, "--null", "public"),
					slices.Concat(c.letter[:1], c.letter[2:])},
				{"order of positions", 3, runArgs(dir, input, "positions:../../testdata/tables/airports.csv", "--null", "public"),
					c.letter},
				{"floor", 4, runArgs(dir, input, whole, "--null", "public", "--floor-rank", "4"), c.letter},
				{"plan lacks two", 4, []string{"apply", "--plan", partialPlan(t, c, part), "--input", input,
					"--output", filepath.Join(dir, "out"), "--report", filepath.Join(dir, "report")},
					[]token{c.letter[0], c.letter[11]}},
			}
			if !c.integer {
				refusals = append(refusals, refusal{"order of numbers", 3, runArgs(dir, input, "numeric", "--null", "public"),
					c.letter})
			}
			for _, r := range refusals {
				done := tacet(t, r.args...)
				done.want(t, r.code)
				clean(t, "what is said of "+r.what, []byte(done.stdout+done.stderr), r.unnamed)
				if left := snapshot(t, dir); len(left) > 0 {
					t.Errorf("%s: %d files were left", r.what, len(left))
				}
			}
		})
	}
}

// A refusal is a command that must end with code, and tokens that it must not
// name.
type refusal struct {
	what    string
	code    int
	args    []string
	unnamed []token
}

// partialPlan is a plan for all letters but the first and the last.
func partialPlan(t *testing.T, c canary, utility string) string {
	t.Helper()
	dir := t.TempDir()
	counts := "label,count\n"
	for _, k := range c.letter[1:11] {
		counts += k.text + ",1000\n"
	}
	plan := filepath.Join(dir, "plan.json")
	path := report.NameList([]string{writeFile(t, filepath.Join(dir, "counts.csv"), []byte(counts))})
	tacet(t, "design", "--counts", path, "--column", "secret",
		"--utility", utility, "--epsilon", "3", "--null", "public", "--write-plan", plan).want(t, 0)
	return plan
}

// TestCanaryDamaged flips bytes all over the inputs, each flip in a run of its
// own (in this process, for speed), and cuts them off: whatever a run says and
// leaves is clean.
func TestCanaryDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	flips := 8
	if torture.Long() {
		flips = 300
	}
	refused := 0
	for _, c := range canaries(t) {
		if strings.Contains(c.name, "codec") && c.integer {
			continue
		}
		dir, given := t.TempDir(), t.TempDir()
		utility := spec(t, given, c)
		for i := range flips {
			file := bytes.Clone(c.file)
			if at := r.IntN(len(file)); i%6 == 5 {
				file = file[:at]
			} else {
				file[at] ^= 1 << r.IntN(8)
			}
			input := writeFile(t, filepath.Join(given, "in"), file)
			var stdout, stderr bytes.Buffer
			code := run(append([]string{"tacet"}, runArgs(dir, input, utility, "--null", "public", "--audit", "off",
				"--overwrite")...), &stdout, &stderr)
			if code != 0 {
				if refused++; code != 3 || lines(stderr.String()) != 1 {
					t.Errorf("%s, flip %d: exit code %d:\n%s", c.name, i, code, stderr.Bytes())
				}
			}
			clean(t, c.name+": what is said", append(stdout.Bytes(), stderr.Bytes()...), c.planted)
			for name, data := range snapshot(t, dir) {
				if !slices.Contains(confidential, strings.TrimPrefix(name, "/")) {
					clean(t, c.name+": "+name, []byte(data), c.planted)
				}
			}
		}
	}
	if refused < 20 {
		t.Errorf("control: only %d damaged files were refused", refused)
	}
}
