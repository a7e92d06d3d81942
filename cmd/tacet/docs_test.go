package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDocs runs every command block of README and docs and compares what it
// prints with what the page shows.
//
// In a fenced block a line "$ command" is run by sh, a backslash at its end
// continues it, and the lines below are its output, both streams together. In
// them "..." stands for anything within a line and, alone on a line, for any
// number of lines. A block whose fence says file=NAME is written to that file
// first. All blocks of a page share one folder with testdata in it.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	must(t, err)
	pages := []string{filepath.Join(root, "README.md")}
	var commands atomic.Int64
	t.Parallel()
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	must(t, err)
	for _, page := range pages {
		name, _ := filepath.Rel(root, page)
		data := readFile(t, page)
		blocks := fences(string(data))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")))
			for _, b := range blocks {
				if b.file != "" {
					if !strings.Contains(b.before, "`"+b.file+"`") { // a reader of the page does not see the mark
						t.Errorf("%s:%d: nothing says to save this as %s", name, b.line, b.file)
					}
					must(t, os.WriteFile(filepath.Join(dir, b.file), []byte(b.body), 0o666))
				}
				for _, s := range b.steps() {
					commands.Add(1)
					s.run(t, name, dir)
				}
			}
		})
	}
	t.Cleanup(func() {
		if commands.Load() == 0 {
			t.Error("no page holds a command")
		}
	})
}

type fence struct {
	file, body string
	before     string // the last line of text above it
	line       int
}

type step struct {
	command, want string
	line          int
}

// fences are the fenced blocks of a page.
func fences(page string) []fence {
	var out []fence
	var b *fence
	before := ""
	for i, line := range strings.SplitAfter(page, "\n") {
		mark := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case mark && b == nil:
			b = &fence{line: i + 2, before: before}
			if _, name, ok := strings.Cut(strings.TrimSpace(line), "file="); ok {
				b.file = name
			}
		case mark:
			out = append(out, *b)
			b = nil
		case b != nil:
			b.body += line
		case strings.TrimSpace(line) != "":
			before = line
		}
	}
	return out
}

// steps are the commands of a block with the output shown below each.
func (b fence) steps() []step {
	var out []step
	open := false
	for i, line := range strings.SplitAfter(b.body, "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok && b.file == "":
			out = append(out, step{line: b.line + i})
			line, open = command, true
			fallthrough
		case open:
			s := &out[len(out)-1]
			s.command += line
			open = strings.HasSuffix(strings.TrimRight(line, " \n"), "\\")
		case len(out) > 0:
			out[len(out)-1].want += line
		}
	}
	return out
}

func (s step) run(t *testing.T, page, dir string) {
	cmd := exec.Command("sh", "-c", s.command)
	cmd.Dir = dir
	var got bytes.Buffer
	cmd.Stdout, cmd.Stderr = &got, &got
	err := cmd.Run()
	if !matches(s.want, progressLine.ReplaceAllString(got.String(), "")) {
		t.Errorf("%s:%d: %s\nprints (%v)\n%s\nthe page shows\n%s", page, s.line, strings.TrimSpace(s.command), err,
			got.String(), s.want)
	}
}

// matches compares output with a page, where "..." stands for anything.
func matches(want, got string) bool {
	var re strings.Builder
	for _, line := range strings.Split(strings.TrimRight(want, "\n"), "\n") {
		if strings.TrimSpace(line) == "..." {
			re.WriteString(`(?:.*\n)*?`)
			continue
		}
		quoted := regexp.QuoteMeta(strings.TrimRight(line, " "))
		fmt.Fprintf(&re, "%s *\n", strings.ReplaceAll(quoted, regexp.QuoteMeta("..."), ".*"))
	}
	return regexp.MustCompile("^(?:" + re.String() + ")$").MatchString(strings.TrimRight(got, "\n") + "\n")
}

// TestSlowStreamRecipes runs the recipes of docs/streams, where python3 has the libraries;
// TACET_PYTHON=required fails where it has none.
func TestSlowStreamRecipes(t *testing.T) {
	root, err := filepath.Abs("../..")
	must(t, err)
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "docs/streams"))))
	must(t, os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")))
	in := func(name string, args ...string) (string, error) {
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := in("tacet", "design", "--input", "testdata/tables/flights.parquet", "--column", "origin", "--utility",
		"hierarchy:testdata/tables/regions.csv", "--max-factor", "12", "--write-plan", "plan.json"); err != nil {
		t.Fatal(err, out)
	}
	want := map[string]string{
		"from_pyarrow.py": "200000 rows of ['date', 'delay', 'origin']",
		"from_polars.py":  "200000 rows of ['date', 'delay'", "from_duckdb.py": " rows of ['origin', 'delay']",
	}
	for name, shows := range want {
		t.Run(name, func(t *testing.T) {
			library := strings.TrimSuffix(strings.TrimPrefix(name, "from_"), ".py")
			if _, err := in("python3", "-c", findModules, "pyarrow", library); err != nil {
				if os.Getenv("TACET_PYTHON") == "required" {
					t.Fatalf("python3 with pyarrow and %s is required: %v", library, err)
				}
				t.Skipf("no python3 with pyarrow and %s", library)
			}
			if out, err := in("python3", name); err != nil || !strings.Contains(out, shows) {
				t.Errorf("it ends with %v and prints\n%s", err, out)
			}
		})
	}
	if out, err := in("python3", "-c", failing); err != nil && strings.Contains(out, "No module named 'pyarrow'") {
		t.Log("no python3 with pyarrow")
	} else if err != nil || out != failed {
		t.Errorf("a source that fails and a value that the plan lacks: %v, and it prints\n%s", err, out)
	}
}

// findModules fails where one of the modules is not there; to import them takes a second.
const findModules = `
import sys
from importlib.util import find_spec
for name in sys.argv[1:]:
    find_spec(name).loader
`

// failing feeds the recipe with what must not come out as a whole stream, and with
// nothing, which may.
const (
	failing = `
import pyarrow as pa
from redraw import redraw
schema = pa.schema([("origin", pa.string())])
def source(values, fails):
    for v in values:
        yield pa.record_batch([[v]], schema=schema)
    if fails:
        raise KeyError("the source")
for values, fails in ([], False), (["ORD"] * 3, False), (["ORD"], True), (["ORD", "NOWHERE"], False):
    try:
        print(redraw(pa.RecordBatchReader.from_batches(schema, source(values, fails)), "plan.json").read_all().num_rows)
    except Exception as error:
        print(error)
try:
    print(redraw(pa.table({"other": ["ORD"]}).to_reader(), "plan.json"))
except Exception as error:
    print(error)
`
	failed = `0
3
tacet: standard input: it ends without an end-of-stream marker; the output is cut off and must not be used; hint: look at the program that writes it: it may have failed
'the source'
tacet: standard input: column "origin", row 2: the value is not among the values counted before; the output is cut off and must not be used; hint: make a plan of all the data with tacet design, with --domain FILE if later data may bring other values
tacet apply ended with exit code 3: what came out must not be used
tacet: standard input: the file has no column "origin"; hint: its columns are other
tacet apply ended with exit code 3: what came out must not be used
`
)
