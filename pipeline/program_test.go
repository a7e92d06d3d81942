package pipeline_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// hostileNames try to end the literals of a program.
var hostileNames = []struct{ column, file string }{
	{"c", "out"},
	{`"); raise SystemExit(7) #`, `o'); SELECT 7; --`},
	{"count", "*"},
	{"^.*$", "~"},
	{`a\"b'c` + "`" + `"`, "-o ' x"},
	{"*", "ü\u202e"},
	{"n\n\"\"\"\nraise SystemExit(7)", "{o}"},
}

// makeTables writes tables of one column, and runPrograms runs what counts them.
const (
	makeTables = `
import json, sys, pyarrow, pyarrow.parquet
for path, column, values, format in json.load(sys.stdin):
    table = pyarrow.table({column: pyarrow.array(values, pyarrow.string())})
    if format == "csv":
        with open(path, "w", newline="") as f:
            f.write('w,"' + column.replace('"', '""') + '"\n' + "".join("1," + (v or "") + "\n" for v in values))
    elif format == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pyarrow.OSFile(path, "wb") as f, pyarrow.ipc.new_file(f, table.schema) as w:
            w.write_table(table)
`
	runPrograms = `
import json, os, sys, pandas
results = []
for folder, code in json.load(sys.stdin):
    os.chdir(folder)
    scope = {}
    exec(code, scope)
    t = scope["table"]
    rows = [(i, *r) for i, r in zip(t.index, t.itertuples(index=False))]
    results.append([["" if pandas.isna(r[0]) else r[0], *map(float, r[1:])] for r in rows])
print("\nRESULTS" + json.dumps(results))
`
)

// A programJob is a program, and what it should count.
type programJob struct {
	share map[string]float64
	limit float64 // 0 for none
}

// programText is the program of a public report.
var programText = regexp.MustCompile(`(?s)<pre tabindex="0"><code>(.*?)</code></pre>`)

// TestPrograms runs the program of public/report.html beside the published file, and holds
// the shares that it finds to those of the report, whatever column and file are
// called. It needs python3 with the libraries; with TACET_PYTHON=required it fails
// without them.
func TestPrograms(t *testing.T) {
	if _, err := python(findModules, []string{"pandas", "pyarrow"}); err != nil {
		if os.Getenv("TACET_PYTHON") == "required" {
			t.Fatal("python3 with pandas and pyarrow is required: ", err)
		}
		t.Skip("no python3 with pandas and pyarrow")
	}
	root := t.TempDir()
	orders := filepath.Join(root, "u.csv")
	if err := os.WriteFile(orders, []byte("x,a,b,d,\na,3,2,1,0\nb,1,3,2,0\nd,1,2,3,0\n,0,1,2,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	values := make([]*string, 0, 1100)
	for i := range cap(values) {
		values = append(values, []*string{nil, new("a"), new("b"), new("b"), new("d")}[i*7%11%5])
	}
	var tables [][]any
	var asked []pipeline.Options
	for i, name := range hostileNames {
		for _, c := range []struct{ format, null, limit string }{{"parquet", "public", ""}, {"parquet", "draw", "40%"},
			{"arrow", "public", "40%"}, {"csv", "draw", "40%"}, {"csv", "public", ""}} {
			dir := filepath.Join(root, fmt.Sprint(len(asked)))
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			seed := uint64(i)
			o := pipeline.Options{Input: filepath.Join(dir, "in."+c.format), Column: name.column, Utility: "ordered:a,b,d",
				Epsilon: "1.2", Null: c.null, MaxShift: c.limit, TestSeed: &seed, AllowSorted: true,
				Output: filepath.Join(dir, name.file+"."+c.format), Report: filepath.Join(dir, "report")}
			if c.null == "draw" {
				o.Utility = "matrix:" + orders
			}
			tables = append(tables, []any{o.Input, o.Column, values, c.format})
			asked = append(asked, o)
		}
	}
	if out, err := python(makeTables, tables); err != nil {
		t.Fatal(err, out)
	}
	var jobs []programJob
	var given [][]string
	for _, o := range asked {
		share := map[string]float64{}
		for _, y := range run(t, o).Outputs {
			share[yesText(!y.Label.Null, y.Label.Text)] = y.Share
		}
		found := programText.FindSubmatch(read(t, filepath.Join(o.Report, "public", "report.html")))
		if found == nil {
			t.Fatal("there is no program")
		}
		code := html.UnescapeString(string(found[1]))
		if n := strings.Count(code, "\n"); n > 11 {
			t.Errorf("%d lines", n)
		}
		j := programJob{share, 0}
		if o.MaxShift != "" {
			j.limit = .4
		}
		jobs = append(jobs, j)
		given = append(given, []string{filepath.Dir(o.Output), code})
	}
	out, err := python(runPrograms, given)
	if err != nil {
		t.Fatal(err, out)
	}
	_, found, _ := strings.Cut(out, "\nRESULTS")
	var results [][][]any
	if err := json.Unmarshal([]byte(found), &results); err != nil || len(results) != len(jobs) {
		t.Fatalf("%v: %d results of %d programs", err, len(results), len(jobs))
	}
	for i, j := range jobs {
		j.holds(t, results[i])
	}
}

// holds compares the rows that a program found: value, count, share and, where there is
// a limit, what the true share is within.
func (j *programJob) holds(t *testing.T, rows [][]any) {
	t.Helper()
	n, seen := 0., map[string]bool{}
	for _, r := range rows {
		n += r[1].(float64)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
	off := j.limit + 1/math.Sqrt(n)
	for _, r := range rows {
		value, share := r[0].(string), r[2].(float64)
		seen[value] = true
		if !near(share, j.share[value]) || !near(share, r[1].(float64)/n) {
			t.Errorf("%q has share %v, want %v", value, share, j.share[value])
		}
		if j.limit > 0 && (len(r) != 5 || !near(r[3].(float64), max(share-off, 0)) || !near(r[4].(float64),
			min(share+off, 1))) || j.limit == 0 && len(r) != 3 {
			t.Errorf("%v is not within %v", r, off)
		}
	}
	for value, share := range j.share {
		if share > 0 && !seen[value] {
			t.Errorf("%q is not counted", value)
		}
	}
	if len(rows) == 0 {
		t.Error("nothing was counted")
	}
}

func yesText(ok bool, text string) string {
	if ok {
		return text
	}
	return ""
}

// findModules fails where one of the modules is not there; to import them takes a second.
const findModules = `
import json, sys
from importlib.util import find_spec
for name in json.load(sys.stdin):
    find_spec(name).loader
`

// python runs a program with a value in JSON as its input.
func python(program string, in any) (string, error) {
	data, err := json.Marshal(in)
	if err != nil {
		return "", err
	}
	c := exec.Command("python3", "-c", program)
	c.Stdin = strings.NewReader(string(data))
	out, err := c.CombinedOutput()
	return string(out), err
}
