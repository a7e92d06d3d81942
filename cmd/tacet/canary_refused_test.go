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
