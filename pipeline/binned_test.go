package pipeline_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

const (
	makeNumbers = `
import datetime, decimal, json, sys, pyarrow as pa, pyarrow.parquet, numpy
folder = json.load(sys.stdin)
x = [i * 7 % 10 / 10 for i in range(500)]
d = [decimal.Decimal(round(v * 10)) / 10 for v in x]
at = [datetime.datetime(2020, 1, 1 + i * 7 % 28, i % 24) for i in range(500)]
t = pa.table({"float64": pa.array(x), "float32": pa.array(x, pa.float32()), "float16": pa.array(numpy.array(x, numpy.float16)),
    "decimal": pa.array(d, pa.decimal128(12, 2)), "wide": pa.array(d, pa.decimal256(60, 20)),
    "us": pa.array(at, pa.timestamp("us")), "zone": pa.array(at, pa.timestamp("ms", "Europe/Berlin")),
    "ns": pa.array(at, pa.timestamp("ns")), "day": pa.array(at, pa.date32()), "midnight": pa.array(at, pa.date64()),
    "narrow": pa.array(d, pa.decimal32(7, 2)), "long": pa.array(d, pa.decimal64(14, 3))})
for name in t.column_names:
    one = t.select([name])
    if name not in ("midnight", "narrow", "long"):
        pa.parquet.write_table(one, folder + "/" + name + ".parquet")
    with pa.ipc.new_file(folder + "/" + name + ".arrow", one.schema) as w:
        w.write_table(one)
    values, place, index = [], {}, []
    for v in one.column(0).combine_chunks():
        place.setdefault(v.as_py(), len(values)) == len(values) and values.append(v.as_py())
        index.append(place[v.as_py()])
    coded = pa.DictionaryArray.from_arrays(pa.array(index, pa.int16()), pa.array(values, one.schema.field(0).type))
    coded = pa.table({name: coded})
    with pa.ipc.new_file(folder + "/" + name + "-coded.arrow", coded.schema) as w:
        w.write_table(coded)
`
	// Each value is the lower end of its bin, or of floats the least above it; a reader that is
	// not ours finds the type, and no statistics but that there are no nulls.
	readNumbers = `
import datetime, json, sys, decimal, pyarrow as pa, pyarrow.parquet, duckdb
F = decimal.Decimal
for was, is_ in json.load(sys.stdin):
    if was.endswith(".parquet"):
        a, b = pa.parquet.read_table(was), pa.parquet.read_table(is_)
        s = pa.parquet.ParquetFile(is_).metadata.row_group(0).column(0).statistics
        assert not s.has_min_max and s.null_count == 0, s
        if "wide" not in was:
            assert duckdb.sql("SELECT count(*) FROM read_parquet('" + is_ + "')").fetchall()[0][0] == 500
    else:
        a, b = pa.ipc.open_file(was).read_all(), pa.ipc.open_file(is_).read_all()
    assert a.schema.field(0).equals(b.schema.field(0)), (was, a.schema, b.schema)
    b.validate(full=True)
    for v in set(b.column(0).to_pylist()):
        if "float" in is_:
            v = F(float(v))
            ok = any(0 <= v - F(e) < F("0.0005") for e in ("0", "0.1", "0.3"))
        elif any(name in is_ for name in ("decimal", "wide", "narrow", "long")):
            ok = v in (F("0"), F("0.1"), F("0.3"))
        else:
            v = v if isinstance(v, datetime.datetime) else datetime.datetime(v.year, v.month, v.day)
            v = v.replace(tzinfo=None) if v.tzinfo is None else v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            ok = v in (datetime.datetime(2019, 12, 30), datetime.datetime(2020, 1, 6), datetime.datetime(2020, 1, 13),
                datetime.datetime(2020, 1, 20), datetime.datetime(2020, 1, 27))
        assert ok, (is_, v)
print("read", len(b))
`
)

// TestBinsOfTypesAreRead: libraries that are not ours read the lower ends of bins in the type
// that the input has. It needs python3 with them; with TACET_PYTHON=required it fails without.
func TestBinsOfTypesAreRead(t *testing.T) {
	if _, err := python(findModules, []string{"pyarrow", "duckdb", "numpy"}); err != nil {
		if os.Getenv("TACET_PYTHON") == "required" {
			t.Fatal("python3 with pyarrow, duckdb and numpy is required: ", err)
		}
		t.Skip("no python3 with pyarrow, duckdb and numpy")
	}
	dir := t.TempDir()
	if out, err := python(makeNumbers, dir); err != nil {
		t.Fatal(err, out)
	}
	var pairs [][2]string
	for column, bins := range map[string]string{"float64": "0,0.1,0.3,1", "float32": "0,0.1,0.3,1",
		"float16": "0,0.1,0.3,1",
		"decimal": "0,0.1,0.3,1", "wide": "0,0.1,0.3,1", "us": "week", "zone": "week", "ns": "week", "day": "week",
		"midnight": "week", "narrow": "0,0.1,0.3,1", "long": "0,0.1,0.3,1"} {
		for _, format := range []string{".parquet", ".arrow", "-coded.arrow"} {
			seed, in := uint64(1), filepath.Join(dir, column+format)
			if _, err := os.Stat(in); err != nil && format == ".parquet" {
				continue
			}
			out := filepath.Join(dir, "out", column+format)
			run(t, pipeline.Options{Input: in, Column: column, Bins: bins, BinAs: "lower", Epsilon: "1", TestSeed: &seed,
				AllowSorted: true, Output: out, Report: filepath.Join(dir, "report", column+format)})
			pairs = append(pairs, [2]string{in, out})
		}
	}
	if out, err := python(readNumbers, pairs); err != nil || !strings.Contains(out, "read 500") {
		t.Fatal(err, out)
	}
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
