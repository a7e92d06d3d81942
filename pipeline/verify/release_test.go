package verify_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// Heaps of tests are small: to collect them seldom saves a fifth of the time.
var _ = debug.SetGCPercent(400)

// A release is what a run left, and the documents to alter.
type release struct {
	dir          string
	input        string
	output       string
	report, plan map[string]any
	order        []byte
	trust        string // public key that verify is shown

	ledger, export, drawKey, history string // of a series of nights

	joint bool // two columns are private, and no documents are altered in memory
}

// scratch is the folder of the releases, which tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "releases"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// folder is a new one for a release.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "")
	must(t, err)
	return dir
}

// released are releases by name, each made by the first test that asks for it.
var released sync.Map

type sharing struct {
	once sync.Once
	of   *release
}

// made is the release of that name. Tests share it: they alter copies.
func made(t *testing.T, name string) *release {
	t.Helper()
	v, _ := released.LoadOrStore(name, new(sharing))
	s := v.(*sharing)
	if s.once.Do(func() { s.of = build(t, name, "") }); s.of == nil {
		t.Fatalf("%s was not made", name)
	}
	return s.of
}

// copied is a copy of the release of that name, to alter.
func copied(t *testing.T, name string) *release {
	t.Helper()
	return made(t, name).copyTo(t, filepath.Join(t.TempDir(), "copy"))
}

// build makes the release of that name, signed with the key in a file or "".
func build(t *testing.T, name, sign string) *release {
	t.Helper()
	switch name {
	case "csv":
		return csvRelease(t)
	case "signed":
		return signed(t)
	case "columns":
		return twoColumns(t, options{Drop: []string{"k"}, Sign: sign}, "1.5", "1.9")
	case "columns in strata":
		return twoColumns(t, options{Drop: []string{"k"}, Strata: "k", Sign: sign}, "1.2", "1.5")
	case "nights":
		name = "nights hold"
	}
	course, several := strings.CutPrefix(name, "nights ")
	if c, ok := courses[course]; several && ok {
		c.sign = sign
		return c.run(t)
	}
	kind, inArrow := strings.CutPrefix(name, "arrow ")
	j, ok := jobs[kind]
	if !ok {
		j, ok = further[kind]
	}
	if !ok {
		t.Fatalf("there is no release %q", name)
	}
	j.arrow, j.options.Sign = inArrow, sign
	return j.make(t)
}

// make runs the job in a folder of its own.
func (j job) make(t *testing.T) *release {
	t.Helper()
	if j.cell == nil {
		j.cell = skew
	}
	if j.rows == 0 {
		j.rows = 3000
	}
	r := &release{dir: folder(t)}
	ext := ".parquet"
	if j.arrow {
		ext = ".arrow"
	}
	r.input, r.output = filepath.Join(r.dir, "in"+ext), filepath.Join(r.dir, "out"+ext)
	j.write(t, r.input)
	o := j.options
	o.AllowSorted = true // the rows repeat a pattern, and so columns tell of it
	if o.Audit != "off" {
		o.AllowLinked = slices.DeleteFunc([]string{"k", "d"}, func(n string) bool { return slices.Contains(o.Drop, n) })
	}
	if o.Utility = j.order; j.order == "" && j.plan == "" {
		o.Utility = ordered
	}
	file := func(name, text string) string {
		if text == "" {
			return ""
		}
		path := filepath.Join(r.dir, name)
		must(t, writeText(path, text))
		return path
	}
	if form, text, ok := strings.Cut(j.order, "\n"); ok {
		o.Utility = form + ":" + file("spec.csv", text)
	}
	o.Prior, o.Domain = file("prior.csv", j.prior), file("domain.txt", j.domain)
	seed, run := uint64(1), pipeline.Run
	o.Input, o.Column, o.Output, o.Report, o.TestSeed = r.input, "c", r.output, filepath.Join(r.dir, "report"), &seed
	if j.fresh {
		o.TestSeed = nil
	}
	if j.plan != "" {
		o.Plan, run = made(t, j.plan).path("plan.json"), pipeline.Apply
	}
	_, err := run(t.Context(), o)
	must(t, err)
	r.load(t)
	return r
}

// twoColumns has two private columns.
func twoColumns(t *testing.T, o options, epsilon ...string) *release {
	r := &release{dir: folder(t), joint: true}
	r.input, r.output = filepath.Join(r.dir, "in"), filepath.Join(r.dir, "out")
	job{cell: fiveLetters, rows: 700}.write(t, r.input)
	o.Input, o.Output, o.Report, o.AllowSorted, o.Audit = r.input, r.output, filepath.Join(r.dir, "report"), true, "off"
	o.Columns = []*request.Options{{Column: "c", Utility: ordered, Epsilon: epsilon[0]},
		{Column: "d", Utility: "circular:0,1,2,3,4,5,6,7,8,9,10", Epsilon: epsilon[1]}}
	_, err := pipeline.Run(t.Context(), o)
	must(t, err)
	return r
}

// write writes the input of the job: its column c beside a number k and a text d.
func (j job) write(t *testing.T, path string) {
	fields := []arrow.Field{{Name: "c", Type: j.typ, Nullable: true}, {Name: "k", Type: arrow.PrimitiveTypes.Int64},
		{Name: "d", Type: arrow.BinaryTypes.String}}
	if j.typ == nil {
		fields[0].Type = arrow.BinaryTypes.String
	}
	for i := range fields {
		if j.extend {
			fields[i].Type = extensions.NewOpaqueType(fields[i].Type, "name", "vendor")
		}
	}
	writeTable(t, path, j.arrow, fields, j.rows, max(700, j.rows/4), func(row int) []string {
		return []string{j.cell[row%len(j.cell)], strconv.Itoa(row % 97), strconv.Itoa(row % 11)}
	})
}

func (r *release) path(name string) string { return filepath.Join(r.dir, "report", name) }

func (r *release) load(t *testing.T) {
	if r.joint {
		return
	}
	for name, to := range map[string]*map[string]any{"report.json": &r.report, "plan.json": &r.plan} {
		*to = decoded(t, mustRead(t, r.path(name)))
	}
	r.share()
	r.order = []byte(mustRead(t, r.path("order.csv")))
}

// request shows verify everything there is; of a series the ledger as the export, or
// itself where there is none.
func (r *release) request(t *testing.T) verify.Request {
	q := verify.Request{Report: r.path("report.json"), Input: r.input, Output: r.output, Trust: r.trust}
	if r.joint {
		q.Report = r.path("joint.json")
	}
	if r.ledger == "" {
		return q
	}
	q.Ledger, q.Key, q.History = filepath.Join(r.dir, "export"), r.drawKey, r.history
	if r.export == "" {
		q.Ledger = r.ledger
		return q
	}
	must(t, os.WriteFile(q.Ledger, []byte(r.export), 0o600))
	return q
}

// copyTo is the same release in another folder, to alter.
func (r *release) copyTo(t *testing.T, dir string) *release {
	t.Helper()
	must(t, os.CopyFS(dir, os.DirFS(r.dir)))
	c, moved := *r, func(path string) string { return strings.Replace(path, r.dir, dir, 1) }
	c.dir, c.input, c.output = dir, moved(r.input), moved(r.output)
	c.ledger, c.drawKey, c.history = moved(r.ledger), moved(r.drawKey), moved(r.history)
	if c.drawKey != "" {
		must(t, os.Chmod(c.drawKey, 0o600))
	}
	c.report, c.plan = nil, nil
	c.load(t)
	return &c
}

// redraw writes the output again with other letters; change gets each record
// of the output, by row in the file, as a place in plan.outputs.
func (r *release) redraw(t *testing.T, outputs []string, change func(row int64, letter int32) int32) {
	t.Helper()
	in, err := table.OpenLocal(r.output)
	must(t, err)
	f, err := count.OpenFile(in, table.Request{Private: []string{"c"}})
	must(t, err)
	alphabets, _, err := f.Scan(t.Context())
	must(t, err)
	a, err := table.ParseAlphabet(alphabets[0].Type(), outputs, false)
	must(t, err)
	next := r.output + ".next"
	out, err := os.Create(next)
	must(t, err)
	must(t, f.Rewrite(t.Context(), disk{out}, []*table.Alphabet{a}, []*table.Alphabet{a},
		func(b table.Batch) error {
			for i := range b.Letters[0] {
				b.Letters[0][i] = change(b.Row+int64(i), b.Letters[0][i])
			}
			return nil
		}))
	must(t, out.Close())
	must(t, in.Close())
	must(t, os.Rename(next, r.output))
}

type disk struct{ *os.File }

func (d disk) Fd() (uintptr, bool) { return 0, false }

// at is a member that is an object.
func at(m map[string]any, name string) map[string]any { return m[name].(map[string]any) }

// rowOf is a row of the mechanism.
func (r *release) rowOf(x int) map[string]any {
	return r.law()["rows"].([]any)[x].(map[string]any)
}

// law is the first mechanism.
func (r *release) law() map[string]any { return r.plan["mechanisms"].([]any)[0].(map[string]any) }

// share makes of the counts of the one group those of the plan, so that a forgery changes
// both.
func (r *release) share() {
	groups, _ := r.plan["groups"].([]any)
	if len(groups) != 1 {
		return
	}
	g := groups[0].(map[string]any)
	if g["counts"] = r.plan["counts"]; r.plan["prior"] != nil {
		g["records"] = at(r.plan, "prior")["records"]
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return data
}

// decoded is a document, whose numbers stay as they are written.
func decoded(t *testing.T, text string) (document map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	must(t, d.Decode(&document))
	return document
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func writeText(path, text string) error { return os.WriteFile(path, []byte(text), 0o666) }

// signed is a release in the name of a new key, which is trusted.
func signed(t *testing.T) *release {
	t.Helper()
	k := newSigner(t)
	r := build(t, "plain", k.path)
	r.trust = k.line()
	return r
}

// A signer has a key, in a file.
type signer struct {
	*key.Key
	path string
}

func newSigner(t *testing.T) signer {
	t.Helper()
	k, err := key.New(key.Signing, "")
	must(t, err)
	path := filepath.Join(t.TempDir(), "key")
	must(t, key.Write(path, k))
	return signer{k, path}
}

// line is the public key as --trust and --approver take it.
func (s signer) line() string { return strings.Split(s.Public(), "\n")[1] }
