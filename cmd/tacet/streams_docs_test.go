package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
