package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// The check of the written file is tried on files that are wrong: a fault is
// put into pass two, and the release must end with nothing in place.

var checkedLetters = strings.Split("abcdefgh", "")

// A faulty pass two.
type damage struct {
	name   string
	says   string                                     // in the refusal; empty where there shall be none
	law    func(x int, r mechanism.Row) mechanism.Row // by which it draws
	before func(b table.Batch)                        // to letters that it reads
	after  func(b table.Batch)                        // to letters that it has drawn
	to     func(a *table.Alphabet) *table.Alphabet    // what it writes them as
	write  func(t *testing.T, f *faulted)             // instead
}

// faulted is a release up to pass two.
type faulted struct {
	*release
	*part
}

// A faultyFile has a fault in Rewrite.
type faultyFile struct {
	table.File
	*damage
}

func (f *faultyFile) Rewrite(ctx context.Context, out publish.Output, in, to []*table.Alphabet,
	draw func(table.Batch) error) error {
	if f.to != nil {
		to = []*table.Alphabet{f.to(to[0])}
	}
	return f.File.Rewrite(ctx, out, in, to, func(b table.Batch) error {
		if f.before != nil {
			f.before(b)
		}
		err := draw(b)
		if f.after != nil {
			f.after(b)
		}
		return err
	})
}

const row, unit = 2345, 1 // where a single fault is put

// at changes one record, which is not null.
func at(change func(letter []int32, i int)) func(table.Batch) {
	return func(b table.Batch) {
		letters := b.Letters[0]
		if i := 4000*unit + row - int(b.Row); i >= 0 && i < len(letters) {
			for letters[i] < 0 {
				i++
			}
			change(letters, i)
		}
	}
}

// null changes the first null of the file.
func null(b table.Batch) {
	if i := slices.Index(b.Letters[0], -1); b.Row == 0 && i >= 0 {
		b.Letters[0][i] = 0
	}
}

// always is the row of one output.
func always(y uint16) mechanism.Row { return mechanism.UniformRow([]uint16{y}) }

// swapped exchanges two values of an alphabet.
func swapped(a *table.Alphabet) *table.Alphabet {
	v := slices.Clone(a.Values())
	v[0], v[7] = v[7], v[0]
	return table.NewAlphabet(a.Type(), v, false)
}

// foreign has a value that is no letter.
func foreign(a *table.Alphabet) *table.Alphabet {
	v := slices.Clone(a.Values())
	v[3].Bytes = "x"
	return table.NewAlphabet(a.Type(), v, false)
}

const forbids, unfit, other, passes = "that the plan forbids", "does not fit the plan", "does not hold what was drawn",
	"differ from those counted in the first"

var faults = []damage{
	{name: "none"},
	{name: "a forbidden output", says: forbids, law: func(x int, r mechanism.Row) mechanism.Row {
		for y := uint16(0); x == 3; y++ {
			if !slices.Contains(r.Output, y) {
				return mechanism.UniformRow(slices.Sorted(slices.Values(append(slices.Clone(r.Output), y))))
			}
		}
		return r
	}},
	{name: "nothing drawn", says: "the written file", law: func(x int,
		_ mechanism.Row) mechanism.Row {
		return always(uint16(x))
	}},
	{name: "always the first output", says: unfit, law: func(_ int,
		r mechanism.Row) mechanism.Row {
		return always(r.Output[0])
	}},
	{name: "a letter read as another", says: passes, before: at(func(l []int32, i int) { l[i] = (l[i] + 1) % 8 })},
	{name: "a letter read as null", says: passes, before: at(func(l []int32, i int) { l[i] = -1 })},
	{name: "a null read as a letter", says: passes, before: null},
	{name: "another output", says: other, after: at(func(l []int32, i int) { l[i] = (l[i] + 1) % 8 })},
	{name: "an output that became null", says: other, after: at(func(l []int32, i int) { l[i] = -1 })},
	{name: "a null that became a letter", says: other, after: null},
	{name: "two records exchanged", says: other, after: at(func(l []int32, i int) {
		for k := range l {
			if l[k] >= 0 && l[k] != l[i] {
				l[i], l[k] = l[k], l[i]
				return
			}
		}
	})},
	{name: "draws of the row before", says: other, after: func(b table.Batch) {
		copy(b.Letters[0][1:],
			slices.Clone(b.Letters[0]))
	}},
	{name: "swapped labels", says: other, to: swapped},
	{name: "a foreign value", says: "holds a value that is not an output", to: foreign},
	{name: "a row less", says: "row groups of", write: from(11_999, nil, "")},
	{name: "no row", says: "row groups of", write: from(0, nil, "")},
	{name: "a column less", says: "other columns", write: from(12_000, []string{"k"}, "")},
	{name: "a column of another type", says: "other columns", write: from(12_000, nil, "k")},
	{name: "a byte flipped in the column", says: "cannot be read again", write: damaged(func(b []byte) { b[60] ^= 1 })},
	{name: "a byte flipped in the footer", says: "cannot be read again",
		write: damaged(func(b []byte) { b[len(b)-6] ^= 0xff })},
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
				o := &request.Options{Input: input, Column: "c", Utility: "ordered:a,b,c,d,e,f,g,h", MaxFactor: "5", Design: design,
					Null:     "public",
					TestSeed: &seed, Output: filepath.Join(dir, "out"), Report: dir, Overwrite: true}
				earlier := []string{"out", plan.File, plan.OrderFile, textFile, jsonFile}
				for _, name := range earlier {
					must(t, os.WriteFile(filepath.Join(dir, name), []byte("earlier"), 0o666))
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

// prepare is a release up to pass two.
func prepare(t *testing.T, o *request.Options) *faulted {
	t.Helper()
	ctx := context.Background()
	reading, err := o.Reading()
	must(t, err)
	s, err := count.Open(t.Context(), reading, []string{o.Column})
	must(t, err)
	signer, err := signerOf(o.Sign, o.Hash)
	must(t, err)
	asked, err := o.Release()
	must(t, err)
	one := &part{column: column{Options: o}, Part: records.Part{Source: s.Private[0], Seed: o.TestSeed},
		beside: &report.Beside{}}
	r := &release{place: place{o: asked, signer: signer}, command: "this file", s: s, parts: parts{one}}
	f := &faulted{release: r, part: one}
	f.input = beginSums(ctx, o.Hash, s.File)
	t.Cleanup(f.input.Stop)
	if f.set, err = count.OpenSet(s); err != nil {
		t.Fatal(err)
	}
	must(t, errors.Join(f.release.targets(), s.Scan(ctx)))
	must(t, errors.Join(one.count(ctx), one.decide(ctx)))
	if f.Alphabets, err = records.AlphabetsOf(f.Plan, one.Source); err != nil {
		t.Fatal(err)
	}
	return f
}

// withFault is the rest of a release, with another pass two.
func withFault(t *testing.T, o *request.Options, c *damage) (err error) {
	t.Helper()
	f := prepare(t, o)
	defer f.release.s.Close()
	defer f.set.AbortOn(&err)
	if c.write != nil {
		c.write(t, f)
		return second(finish(context.Background(), drawn{f.release}))
	}
	honest := *f.Plan
	if c.law != nil {
		var rows []mechanism.Row
		group := honest.Groups[0]
		law := group.Mechanism
		for x := range law.Inputs() {
			rows = append(rows, c.law(x, law.Row(x)))
		}
		if group.Mechanism, err = mechanism.New(law.Outputs(), rows); err != nil {
			t.Fatal(err)
		}
		f.Plan.Groups = []plan.Group{group}
	}
	file := f.release.s.File
	f.release.s.File, err = dataset.Open(context.Background(), file.Set,
		table.Request{Private: []string{o.Column}, Drop: f.release.s.Dropped, Threads: o.Threads},
		func(in table.Input, r table.Request) (table.File, error) {
			own, err := count.OpenFile(in, r)
			return &faultyFile{own, c}, err
		})
	must(t, err)
	defer f.release.s.File.Close()
	must(t, records.Draw(context.Background(), f.release.s, f.parts.drawn(), f.outputs))
	f.release.s.File, *f.Plan = file, honest
	return second(finish(context.Background(), drawn{f.release}))
}

func second(_ []*report.Report, err error) error { return err }

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
