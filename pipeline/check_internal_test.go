package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// The check of the written file is tried on files that are wrong: a fault is
// put into pass two, and the release must end with nothing in place.

var checkedLetters = strings.Split("abcdefgh", "")

// A faulty pass two: it leaves in letters what shall be written, of unit and
// row, or writes the whole output itself.
type damage struct {
	name  string
	says  string // in the refusal; empty where there shall be none
	draw  func(f *faulted, b colfile.Batch)
	to    func(a *colfile.Alphabet) *colfile.Alphabet
	write func(t *testing.T, f *faulted)
}

// faulted is a release up to pass two.
type faulted struct {
	*release
	*part
	u []*draw.Source // by unit
}

// of is the randomness of a unit, on which one goroutine works.
func (f *faulted) of(u colfile.Unit) *draw.Source {
	if f.u[u.Group] == nil {
		f.u[u.Group] = draw.TestStreams(*f.part.Options.TestSeed).Unit(u.File, u.Group, 0)
	}
	return f.u[u.Group]
}

const row, unit = 2345, 1 // where a single fault is put

// at changes one record after an honest draw.
func at(change func(f *faulted, was, is int32) int32) func(*faulted, colfile.Batch) {
	return func(f *faulted, b colfile.Batch) {
		was := slices.Clone(b.Letters[0])
		draw.NewTable(f.Plan.Mechanism).Draw(f.of(b.Unit), b.Letters[0])
		if i := 4000*unit + row - int(b.Row); i >= 0 && i < len(was) {
			for was[i] < 0 { // not at a null
				i++
			}
			b.Letters[0][i] = change(f, was[i], b.Letters[0][i])
		}
	}
}

func honest(_ *faulted, _, is int32) int32 { return is }

// forbidden is the first output that x may not have.
func (f *faulted) forbidden(x int32) int32 {
	allowed := f.Plan.Mechanism.Row(int(x)).Output
	for y := range uint16(f.Plan.Outputs.Len()) {
		if !slices.Contains(allowed, y) {
			return int32(y)
		}
	}
	panic("everything is allowed")
}

var faults = []damage{
	{name: "none", draw: at(honest)},
	{name: "a forbidden replacement", says: "that the plan forbids", draw: at(func(f *faulted, was, _ int32) int32 { return f.forbidden(was) })},
	{name: "a letter that became null", says: "that the plan forbids", draw: at(func(*faulted, int32, int32) int32 { return -1 })},
	{name: "a null that became a letter", says: "that the plan forbids", draw: func(f *faulted, b colfile.Batch) {
		at(honest)(f, b)
		if i := slices.Index(b.Letters[0], -1); b.Row == 0 && i >= 0 {
			b.Letters[0][i] = 0
		}
	}},
	{name: "nothing drawn", says: "the written file", draw: func(*faulted, colfile.Batch) {}},
	{name: "always the first output", says: "does not fit the plan", draw: func(f *faulted, b colfile.Batch) {
		for i, x := range b.Letters[0] {
			if x >= 0 {
				b.Letters[0][i] = int32(f.Plan.Mechanism.Row(int(x)).Output[0])
			}
		}
	}},
	{name: "draws of the row before", says: "that the plan forbids", draw: func(f *faulted, b colfile.Batch) {
		at(honest)(f, b)
		letters := b.Letters[0]
		copy(letters[1:], slices.Clone(letters))
	}},
	{name: "swapped labels", says: "that the plan forbids", draw: at(honest), to: func(a *colfile.Alphabet) *colfile.Alphabet {
		v := slices.Clone(a.Values())
		v[0], v[7] = v[7], v[0]
		return colfile.NewAlphabet(a.Type(), v, false)
	}},
	{name: "a foreign value", says: "holds a value that is no output", draw: at(honest), to: func(a *colfile.Alphabet) *colfile.Alphabet {
		v := slices.Clone(a.Values())
		v[3].Bytes = "x"
		return colfile.NewAlphabet(a.Type(), v, false)
	}},
	{name: "a row less", says: "row groups of", write: from(11_999, nil, "")},
	{name: "no row", says: "row groups of", write: from(0, nil, "")},
	{name: "a column less", says: "other columns", write: from(12_000, []string{"k"}, "")},
	{name: "a column of another type", says: "other columns", write: from(12_000, nil, "k")},
	{name: "a byte flipped in the column", says: "cannot be read again", write: damaged(func(b []byte) { b[60] ^= 1 })},
	{name: "a byte flipped in the footer", says: "cannot be read again", write: damaged(func(b []byte) { b[len(b)-6] ^= 0xff })},
	{name: "an end that is missing", says: "cannot be read again", write: damaged(func(b []byte) { clear(b[len(b)/2:]) })},
}

// TestCheckRefuses puts every fault into a release over files of an earlier
// one.
func TestCheckRefuses(t *testing.T) {
	input := checkedInput(t, 12_000, "")
	for _, design := range []string{"safe", "optimal"} {
		for _, c := range faults {
			t.Run(design+"/"+c.name, func(t *testing.T) {
				dir, seed := t.TempDir(), uint64(3)
				o := &options.Options{Input: input, Column: "c", Utility: "ordered:a,b,c,d,e,f,g,h", MaxFactor: "5", Design: design, Null: "public",
					TestSeed: &seed, Output: filepath.Join(dir, "out"), Report: dir, Overwrite: true}
				earlier := []string{"out", plan.File, plan.OrderFile, textFile, jsonFile}
				for _, name := range earlier {
					if err := os.WriteFile(filepath.Join(dir, name), []byte("earlier"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				err := withFault(t, o, &c)
				var f *fault.Fault
				switch {
				case c.says == "" && err != nil:
					t.Fatal(err)
				case c.says != "" && (!errors.As(err, &f) || f.Class != fault.Internal || !strings.Contains(f.What, c.says)):
					t.Errorf("the fault is answered by: %v", err)
				}
				names, err := os.ReadDir(dir)
				if err != nil || (len(names) == len(earlier)) != (c.says != "") {
					t.Errorf("%d entries are there, against the verdict; %v", len(names), err)
				}
				for _, name := range earlier {
					data, err := os.ReadFile(filepath.Join(dir, name))
					if err != nil || (string(data) == "earlier") != (c.says != "") {
						t.Errorf("%s: replaced or not, against the verdict; %v", name, err)
					}
				}
			})
		}
	}
}

// prepare is releaseColumns up to pass two.
func prepare(t *testing.T, o *options.Options) *faulted {
	t.Helper()
	ctx := context.Background()
	s, err := source.Open(o, []string{o.Column})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := newSignatures(o)
	if err != nil {
		t.Fatal(err)
	}
	one := &part{Part: records.Part{Options: o, Source: s.Private[0]}, beside: &report.Beside{}}
	f := &faulted{release: &release{o: o, s: s, parts: []*part{one}, signed: signed}, part: one}
	if f.set, err = source.OpenSet(s); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.release.targets(), s.Scan(ctx, o)); err != nil {
		t.Fatal(err)
	}
	if f.d, err = source.NewDomain(o, one.Source); err != nil {
		t.Fatal(err)
	}
	if f.Plan, err = decide.Plan(ctx, o, f.d, one.Source); err != nil {
		t.Fatal(err)
	}
	if f.Alphabets, err = records.AlphabetsOf(o, f.Plan, one.Source, one.Source.Alphabet.Type()); err != nil {
		t.Fatal(err)
	}
	return f
}

// withFault is the rest of releaseColumns, with another pass two.
func withFault(t *testing.T, o *options.Options, c *damage) (err error) {
	t.Helper()
	f := prepare(t, o)
	defer f.release.s.Close()
	defer documents.Abort(f.set, &err)
	if c.write != nil {
		c.write(t, f)
		return second(f.finish(context.Background(), "this file", ""))
	}
	f.u = make([]*draw.Source, len(f.part.Source.File.Units()))
	to := f.Alphabets.To
	if c.to != nil {
		to = c.to(to)
	}
	if err := f.part.Source.File.Rewrite(context.Background(), f.output, []*colfile.Alphabet{f.Alphabets.In}, []*colfile.Alphabet{to}, func(b colfile.Batch) error {
		c.draw(f, b)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return second(f.finish(context.Background(), "this file", ""))
}

func second(_ []*report.Report, err error) error { return err }
