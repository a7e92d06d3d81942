package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	arrowio "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowMutations: whatever a file holds that a command reads, the command ends soon, takes
// little memory, and blames options, file or promise, never itself or the machine.
func TestSlowMutations(t *testing.T) {
	each := 40
	if torture.Long() {
		each = 1_000_000
	}
	dir := mutable(t)
	run := func(more string) string {
		return "run --input in1 --column x --audit off --epsilon 1.2 --overwrite --output o --report r " + more
	}
	verify := "verify --report signed --input in1 --output s --trust public"
	cases := [][2]string{
		{"plan.json", "apply --plan plan.json --input in1 --output o --report r --overwrite --audit off"},
		{"order.csv", "apply --plan plan.json --input in1 --output o --report r --overwrite --audit off"},
		{"key", "key show-id --key key"}, {"sign", "key show-id --key sign"},
		{"counts.csv", "design --counts counts.csv --column x --utility any --epsilon 1 --write-plan p --overwrite"},
		{"levels.csv", run("--utility hierarchy:levels.csv")}, {"values.txt", run("--utility any --domain values.txt")},
		{"values.txt", run("--utility ordered:@values.txt")}, {"prior.csv", run("--utility any --prior prior.csv")},
		{"job.yaml", "run --config job.yaml"}, {"rows.csv", "inspect --input rows.csv"},
		{"rows.csv", "estimate --input rows.csv --column x --null draw --write-counts c --overwrite"},
		{"in1", "estimate --input in1 --column x --null draw --write-counts c --overwrite"}, {"in1", "inspect --input in1"},
		{"signed/public/mechanism.json", "recover --input s --column x --mechanism signed/public/mechanism.json"},
		{"signed/report.json", verify},
		{"signed/plan.json", verify}, {"signed/release.json", verify}, {"signed/release.json.minisig", verify},
		{"public", verify},
		{"ledger", "ledger --ledger ledger verify"}, {"ledger", "ledger --ledger ledger export"},
		{"report/plan.json", "verify --report report --input in1 --output out"},
	}
	for n, c := range cases {
		t.Run(c[0]+" "+strings.Fields(c[1])[0], func(t *testing.T) {
			file, args := filepath.Join(dir, c[0]), append([]string{"tacet"}, strings.Fields(c[1])...)
			whole := content(t, file)
			if done := inside(dir, os.LookupEnv, args); done.code != 0 {
				t.Errorf("control: %s: %s", c[1], done.stderr)
			}
			seen, tried := [7]int{}, 0
			for i := range torture.Within(t, each, len(cases)-n) {
				tried++
				writeFile(t, file, mutated(torture.Rand(c[1], i), whole))
				var done finished
				used := torture.Guarded(torture.Most, func() { done = inside(dir, os.LookupEnv, args) })
				if used != nil || !slices.Contains([]int{0, 2, 3, 4}, done.code) ||
					done.code > 0 && !messages.MatchString(progressLine.ReplaceAllString(done.stderr, "")) {
					t.Errorf("%s: try %d of seed %d: exit code %d: %v: %.300s", c[1], i, torture.Seed(), done.code, used,
						done.stderr)
				}
				seen[min(done.code, 6)]++
			}
			writeFile(t, file, whole)
			t.Logf("torture: %d mutations, by exit code %v", tried, seen)
		})
	}
}

// mutable is a folder with a file of each kind that a command reads.
func mutable(t *testing.T) (dir string) {
	t.Helper()
	k := newKilledNight(t)
	dir = copyOf(t, k.folder[1])
	for name, text := range map[string]string{
		"rows.csv": "id,x\n1,a\n2,b\n3,\"c\"\n4,d\n5,a\n6,b\n7,a\n", "levels.csv": "a,u,*\nb,u,*\nc,v,*\nd,v,*\n",
		"values.txt": "a\nb\nc\nd\n", "prior.csv": "label,probability\na,0.4\nb,0.3\nc,0.2\nd,0.1\n",
		"job.yaml": "input: in1\ncolumn: x\nutility: ordered:a,b,c,d\nepsilon: 1.2\naudit: off\noverwrite: true\n" +
			"output: o\nreport: r\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	k.tacet(t, dir, "estimate", "--input", "in1", "--column", "x", "--write-counts", "counts.csv")
	k.tacet(t, dir, "key", "new", "--output", "sign")
	k.tacet(t, dir, "run", "--input", "in1", "--column", "x", "--utility", "ordered:a,b,c,d", "--domain", "values.txt",
		"--design", "safe", "--epsilon", "1.2", "--audit", "off", "--max-shift", "none", "--output", "s", "--report",
		"signed", "--sign", "sign")
	public := inside(dir, os.LookupEnv, []string{"tacet", "key", "show-id", "--key", "sign"})
	writeFile(t, filepath.Join(dir, "public"), []byte(public.stdout))
	return dir
}

// mutated is a file with a few changes: bits, bytes, numbers at the edge, pieces left out or twice.
func mutated(rng *rand.Rand, whole []byte) []byte {
	data := bytes.Clone(whole)
	for range 1 + rng.IntN(2) {
		at := rng.IntN(len(data))
		piece := data[at:min(len(data), at+1+rng.IntN(30))]
		switch rng.IntN(11) {
		case 0, 1, 2:
			data[at] ^= 1 << rng.IntN(8)
		case 3, 4:
			data[at] = byte(rng.Uint32())
		case 5, 6:
			data[at] = []byte("0919-,.\"\n{}[]\xff\x00\x7f\x80")[rng.IntN(17)]
		case 7, 8:
			data = slices.Delete(data, at, min(at+len(piece), len(data)-1))
		case 9:
			data = slices.Insert(data, at, bytes.Clone(piece)...)
		default:
			data = data[:max(1, at)]
		}
	}
	return data
}

// A reading is what reads a kind of file, alone: bytes, or a path where it takes no bytes.
type reading struct {
	name, file string
	bytes      func(data []byte) error
	path       func(path string) error
}

// readings are all that a mutated file of a kind reaches before anything else is done with it.
func readings(t *testing.T, dir string) []reading {
	t.Helper()
	beside := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, "signed", name)) }
	ordered := func(spec string) func(data []byte) error {
		return func(data []byte) error {
			_, err := utility.Build(spec, utility.Input{Letters: utility.Letters{Label: []string{"a", "b", "c", "d"}},
				ReadFile: func(string) ([]byte, error) { return data, nil }})
			return err
		}
	}
	proven := func(d files.Dialect) func([]byte) error { // as tacet verify reads a file that is published
		return func(data []byte) error {
			of := files.Column{Name: "x", Dialect: d, Lengths: files.Lengths{Heads: arrowio.Heads, Schema: arrowio.ReadSchema,
				Thrift: meta.Check}}
			f, err := of.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return err
			}
			letters, err := files.NewLetters(f.Type(), map[files.Label]int32{{Text: "a"}: 0, {Text: "b"}: 1, {Text: "c"}: 2,
				{Text: "d"}: 3}, files.Stranger)
			block := make([]int32, 512)
			for unit := 0; err == nil && unit < len(f.Units()); unit++ {
				var r files.Reader
				r, err = f.Open(unit, letters)
				for n := 1; err == nil && n > 0; {
					n, err = r.Next(block)
				}
			}
			return err
		}
	}
	none, comma := files.Dialect{}, files.Dialect{Comma: ',', Header: true}
	return []reading{
		{"output, Parquet", "in1", proven(none), nil}, {"output, Arrow", "in.arrow", proven(none), nil},
		{"output, CSV", "rows.csv", proven(comma), nil},
		{"plan", "signed/plan.json", func(data []byte) error { _, err := plan.Decode(data, beside); return err }, nil},
		{"plan, hash mended", "signed/plan.json", func(data []byte) error {
			_, err := plan.Decode(rehashed(data), beside)
			return err
		}, nil},
		{"plan, kernel", "signed/plan.json", func(data []byte) error {
			_, err := kernel.ReadPlan(data, "plan.json")
			return err
		}, nil},
		{"mechanism", "signed/public/mechanism.json", func(data []byte) error {
			_, err := plan.DecodeOpen(data)
			return err
		}, nil},
		{"report", "signed/report.json", func(data []byte) error { _, _, err := report.Read(data); return err }, nil},
		{"public report", "signed/public/report.json", func(data []byte) error { _, _, err := report.Read(data); return err },
			nil},
		{"receipt", "signed/release.json", func(data []byte) error {
			return kernel.Decode(data, "release.json", "", new(map[string]any))
		}, nil},
		{"job", "job.yaml", func(data []byte) error {
			_, err := request.Parse("job.yaml", data, request.Keys())
			return err
		}, nil},
		{"levels", "levels.csv", ordered("hierarchy:levels.csv"), nil},
		{"pairs", "pairs.csv", ordered("pairs:pairs.csv"), nil},
		{"matrix", "matrix.csv", ordered("matrix:matrix.csv"), nil},
		{"positions", "places.csv", ordered("positions:places.csv"), nil},
		{"key", "key", nil, func(path string) error { _, err := key.Read(path, key.Draw, "--key-file"); return err }},
		{"signing key", "sign", nil, func(path string) error { _, err := key.Read(path, key.Signing, "--sign"); return err }},
		{"counts", "counts.csv", nil, func(path string) error { _, err := count.ReadCounts(path); return err }},
		{"law", "prior.csv", nil, func(path string) error { _, err := count.ReadLaw(path); return err }},
		{"values", "values.txt", nil, func(path string) error { _, err := count.ReadLabels(path, "--domain"); return err }},
		{"ledger", "ledger", nil, func(path string) error {
			_, err := ledger.Read(context.Background(), path)
			return err
		}},
		{"exported ledger", "exported", nil, func(path string) error {
			_, err := ledger.Read(context.Background(), path)
			return err
		}},
	}
}

// views is an Arrow file whose column x has a dictionary of views, beside one of plain views.
func views(t *testing.T) []byte {
	t.Helper()
	text, index := array.NewStringViewBuilder(memory.DefaultAllocator), array.NewInt8Builder(memory.DefaultAllocator)
	for i := range 40 {
		text.Append([]string{"a", "b", "c", "d, and more than views hold inline"}[i%4])
		index.Append(int8(i % 4))
	}
	column := text.NewArray()
	entries := array.NewSlice(column, 0, 4)
	coded := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.BinaryTypes.StringView}, index.NewArray(), entries)
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: coded.DataType()}, {Name: "y", Type: column.DataType()}}, nil)
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(schema))
	if err == nil {
		err = errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{coded, column}, 40)), w.Close())
	}
	must(t, err)
	return b.Bytes()
}

// rehashed is a plan whose hash is that of what stands before it, so that what lies behind the hash is read.
func rehashed(data []byte) []byte {
	end := bytes.LastIndex(data, []byte(`"plan_sha256": "`))
	if end < 0 || len(data) < end+16+64 {
		return data
	}
	sum := sha256.Sum256(data[:end])
	data = bytes.Clone(data)
	copy(data[end+16:], hex.EncodeToString(sum[:]))
	return data
}

// TestMutatedReadings: what reads a file of any kind ends soon, takes little memory, and blames
// the file, or what it was given, whatever the file holds.
func TestMutatedReadings(t *testing.T) {
	each := 300
	if torture.Long() {
		each = 10_000_000
	}
	dir := mutable(t)
	for name, text := range map[string]string{
		"pairs.csv":  "from,to,utility\na,a,1\nb,b,1\nc,c,1\nd,d,1\na,b,.5\nb,c,.25\n",
		"matrix.csv": ",a,b,c,d\na,1,.5,.2,0\nb,.5,1,.3,0\nc,.1,.2,1,0\nd,0,0,0,1\n",
		"places.csv": "label,lat,lon\na,1,2\nb,2,3\nc,3,3\nd,-4,5\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	writeFile(t, filepath.Join(dir, "in.arrow"), views(t))
	exported := inside(dir, os.LookupEnv, []string{"tacet", "ledger", "--ledger", "ledger", "export"})
	writeFile(t, filepath.Join(dir, "exported"), []byte(exported.stdout))
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // hardly anything lives
	all := readings(t, dir)
	for n, r := range all {
		t.Run(r.name, func(t *testing.T) {
			whole := content(t, filepath.Join(dir, r.file))
			path := filepath.Join(t.TempDir(), "mutated")
			read := func(data []byte) error {
				if r.bytes != nil {
					return r.bytes(data)
				}
				must(t, os.WriteFile(path, data, 0o600))
				return r.path(path)
			}
			if err := read(whole); err != nil && r.name != "receipt" {
				t.Errorf("control: %v", err)
			}
			tried, refused := 0, 0
			for i := range torture.Within(t, each, len(all)-n) {
				tried++
				var err error
				data := mutated(torture.Rand(r.name, i), whole)
				most := uint64(torture.Most)
				if r.name == "output, Parquet" { // parquet-go believes the length of a run, of up to 2^30 numbers
					most *= 5
				}
				if used := torture.Guarded(most, func() { err = read(data) }); used != nil {
					t.Errorf("try %d of seed %d: %v", i, torture.Seed(), used)
				}
				if err != nil {
					refused++
				}
				if f := (*fault.Fault)(nil); r.path != nil && err != nil && (!errors.As(fault.As(err), &f) ||
					f.Class != fault.Usage && f.Class != fault.Input && f.Class != fault.Privacy) {
					t.Errorf("try %d of seed %d: class %d: %v", i, torture.Seed(), f.Class, err)
				}
			}
			t.Logf("torture: %d mutations, %d refused", tried, refused)
		})
	}
	// What this found: numbers of buffers and of values that arrow-go believes, and a factor that has no logarithm.
	whole := content(t, filepath.Join(dir, "in.arrow"))
	for at := range whole {
		bad := bytes.Clone(whole)
		bad[at] = 0x70
		if used := torture.Guarded(torture.Most, func() { all[1].bytes(bad) }); used != nil {
			t.Errorf("%s: byte %d: %v", all[1].name, at, used)
		}
	}
	none := regexp.MustCompile(`"factor": *"[^"]*"`).ReplaceAll(content(t, filepath.Join(dir, "signed/plan.json")),
		[]byte(`"factor": "0"`))
	at := slices.IndexFunc(all, func(r reading) bool { return r.name == "plan, hash mended" })
	if err := all[at].bytes(none); err == nil || !strings.Contains(err.Error(), "factor is not a fraction") {
		t.Errorf("a factor of 0: %v", err)
	}
}

// TestCountsOfFiles counts column x of all files of a folder, which test/torture/scenes.py fills, and leaves the counts
// of those that are whole beside them.
func TestCountsOfFiles(t *testing.T) {
	given := os.Getenv("TACET_FILES")
	files, _ := os.ReadDir(given)
	if given == "" {
		t.Skip("TACET_FILES is not set")
	}
	for _, f := range files {
		var done finished
		used := torture.Guarded(torture.Most, func() {
			done = inside(given, os.LookupEnv, []string{"tacet", "estimate", "--input", f.Name(), "--column", "x", "--null",
				"draw", "--write-counts", f.Name() + ".csv"})
		})
		if used != nil || !slices.Contains([]int{0, 3, 4}, done.code) || done.code > 0 && lines(done.stderr) != 1 {
			t.Errorf("%s: exit code %d: %v: %.300s", f.Name(), done.code, used, done.stderr)
		}
	}
}
