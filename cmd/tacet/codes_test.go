package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/test/torture"
)

// codes are rows of codes of five digits, of which the low ones are the commoner by far;
// every one occurs.
func codes(t *testing.T, rows, letters int) []byte {
	t.Helper()
	type codeRow struct {
		Code string `parquet:"code"`
	}
	var b bytes.Buffer
	all := make([]codeRow, rows)
	for i := range all {
		x := i
		if i >= letters {
			if x = i * 7 % letters; i%3 > 0 {
				x = x * x / letters * x / letters
			}
		}
		all[i].Code = fmt.Sprintf("%05d", x*(99_999/letters))
	}
	must(t, parquet.Write(&b, all))
	return b.Bytes()
}

// TestSlowManyCodes: orders with levels need no table of values by outputs. With
// TACET_TORTURE there are as many values as the United States have zip codes; the
// times are what they may take where nothing else runs, and twice as much is let go.
func TestSlowManyCodes(t *testing.T) {
	letters, rows, most := 5100, 50_000, int64(128<<20)
	run, frontier, verify := 2*time.Second, 3*time.Second, 6*time.Second
	if torture.Long() {
		letters, rows, most = 42_049, 2_000_000, 512<<20
		run, frontier, verify = 3*time.Second, 10*time.Second, 20*time.Second
	}
	dir, given := t.TempDir(), t.TempDir()
	input := writeFile(t, filepath.Join(given, "in"), codes(t, rows, letters))
	output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
	column := []string{"--input", input, "--column", "code", "--utility", "prefix", "--allow", "sorted"}
	for _, c := range []struct {
		args []string
		cpu  time.Duration
	}{
		{slices.Concat([]string{"run"}, column, []string{"--epsilon", "3", "--output", output, "--report", report}), run},
		{slices.Concat([]string{"frontier"}, column, []string{"--max-shift", "none", "--html",
			filepath.Join(dir, "page.html")}), frontier},
		{[]string{"verify", "--report", filepath.Join(report, "report.json"), "--input", input, "--output", output}, verify},
	} {
		took, cpu := spent(t, 0, c.args...)
		t.Logf("%s of %d values: %d MiB, %v", c.args[0], letters, took>>20, cpu)
		most := most
		if c.args[0] == "frontier" {
			most *= 2 // it holds every floor
		}
		if took > most || cpu > 2*c.cpu {
			t.Errorf("%s of %d values took %d MiB and %v, want at most %d and %v", c.args[0], letters, took>>20, cpu,
				most>>20, c.cpu)
		}
	}
	type plan struct {
		Design     struct{ Kind string }
		Mechanisms []struct{ Rows, Blocks []any }
	}
	var made plan
	must(t, json.Unmarshal(readFile(t, filepath.Join(report, "plan.json")), &made))
	if m := made.Mechanisms[0]; made.Design.Kind != "blocks" || len(m.Rows) > 0 || len(m.Blocks) < 10 {
		t.Errorf("the plan is of design %s with %d rows and %d blocks", made.Design.Kind, len(m.Rows), len(m.Blocks))
	}
	// What the file holds is what draws depend on: a second release by the same plan.
	again := filepath.Join(dir, "again")
	tacet(t, "apply", "--plan", filepath.Join(report, "plan.json"), "--input", input, "--output", again, "--allow",
		"sorted", "--report", filepath.Join(dir, "applied")).want(t, 0)
	done := tacet(t, "verify", "--report", filepath.Join(dir, "applied", "report.json"), "--input", input, "--output",
		again)
	if done.want(t, 0); strings.Contains(done.stdout, "FAILED") {
		t.Error(done.stdout)
	}
	// What takes a table of all pairs says so, and does not begin.
	tacet(t, "simulate", "--input", input, "--column", "code", "--utility", "prefix", "--epsilon", "3").want(t, 3)
	// A letter that is moved from one block to another is noticed.
	path := filepath.Join(report, "plan.json")
	data := readFile(t, path)
	if broken := bytes.Replace(data, []byte(`{"inputs":["00000",`), []byte(`{"inputs":[`), 1); bytes.Equal(broken, data) {
		t.Error("control: the first block does not begin with the first value")
	} else {
		writeFile(t, path, broken)
		tacet(t, "apply", "--plan", path, "--input", input, "--output", again, "--report", filepath.Join(dir, "applied"),
			"--overwrite").want(t, 3)
	}
}
