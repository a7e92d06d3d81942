package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tacet-privacy/tacet/io/table"
)

// A lines file has a unit for each of its lines, and a row for each character of it. Its
// first line is its schema.
type lines struct {
	table.File // nil: what is not below is not called
	columns    []table.Column
	units      []string
}

func (f *lines) Format() string          { return "lines" }
func (f *lines) Dialect() table.Dialect  { return table.Dialect{} }
func (f *lines) Columns() []table.Column { return f.columns }

func (f *lines) Units() (rows []int64) {
	for _, u := range f.units {
		rows = append(rows, int64(len(u)))
	}
	return rows
}

// Read hands out a row at a time.
func (f *lines) Read(_ context.Context, group int, _ []*table.Alphabet, each func(table.Batch) error) error {
	before := 0
	for _, u := range f.units[:group] {
		before += len(u)
	}
	for i, c := range f.units[group] {
		if c == '!' {
			return table.Errorf("look", "row %d is damaged", i)
		}
		b := table.Batch{Unit: table.Unit{Group: group}, Row: int64(before + i), Letters: [][]int32{{c - 'a'}}}
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// opener opens lines.
func opener(in table.Input, _ table.Request) (table.File, error) {
	data, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
	if err != nil {
		return nil, err
	}
	all := strings.Split(string(data), "\n")
	f := &lines{units: all[1:]}
	for _, name := range strings.Fields(all[0]) {
		f.columns = append(f.columns, table.Column{Name: name, Type: "text"})
	}
	return f, nil
}

// A counted content says when it is closed.
type counted struct {
	table.Content
	open *atomic.Int64
}

func (c counted) Close() error {
	c.open.Add(-1)
	return c.Content.Close()
}

// openLines opens the set of a folder, and counts the files that are open.
func openLines(t *testing.T, folder string, open *atomic.Int64) (*Files, error) {
	t.Helper()
	s, err := Find(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range s.Members {
		s.Members[i].Open = func() (table.Content, error) {
			c, err := m.Open()
			if err == nil {
				open.Add(1)
			}
			return counted{c, open}, err
		}
	}
	return Open(t.Context(), s, table.Request{Private: []string{"v"}, Threads: 3}, opener)
}

// TestFiles: units and rows of many files are counted over the set, file after file, and
// each batch is told where it stands, with what its path tells.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"k=1/a": "v\nab\nc", "k=1/b": "v", "k=2/a": "v\n\nd", "z": "v\nef"})
	var open atomic.Int64
	first, err := openLines(t, dir, &open)
	if err != nil {
		t.Fatal(err)
	}
	f, err := first.Again(table.Request{Private: []string{"v"}, Beside: []string{"k"}})
	if err := errors.Join(err, first.Close()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Units(), []int64{2, 1, 0, 1, 2}) || f.Rows(0) != 3 || f.Rows(1) != 0 || f.Rows(3) != 2 ||
		f.BytesOf(3) != 4 {
		t.Errorf("units %v, rows %d %d %d", f.Units(), f.Rows(0), f.Rows(1), f.Rows(3))
	}
	var got []string
	for u := range f.Units() {
		if err := f.Read(t.Context(), u, nil, func(b table.Batch) error {
			key := "null"
			if c := b.Beside[0]; c.Code[0] >= 0 {
				key = string(c.Source.Bytes(int(c.Code[0])))
			}
			got = append(got, fmt.Sprintf("%c:%d.%d.%d row %d k=%s", 'a'+b.Letters[0][0], b.Unit.File, b.Unit.Group, b.Unit.At,
				b.Row, key))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a:0.0.0 row 0 k=1", "b:0.0.0 row 1 k=1", "c:0.1.1 row 2 k=1", "d:2.1.3 row 3 k=2",
		"e:3.0.4 row 4 k=null", "f:3.0.4 row 5 k=null"}
	if !slices.Equal(got, want) {
		t.Errorf("batches are\n%q, want\n%q", got, want)
	}
	if err := f.Close(); err != nil || open.Load() != 0 {
		t.Errorf("%d files stay open (%v)", open.Load(), err)
	}
}

// TestIdle: however many files there are, few stay open.
func TestIdle(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprint("f", i)] = "v\nab"
	}
	put(t, dir, files)
	var open atomic.Int64
	f, err := openLines(t, dir, &open)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for u := range f.Units() {
		if err := f.Read(t.Context(), u, nil, func(table.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if n := open.Load(); n > mostIdle+1 {
			t.Fatalf("%d files are open", n)
		}
	}
}

// TestUnlike: files that are not alike, damaged or changed are refused by name.
func TestUnlike(t *testing.T) {
	var open atomic.Int64
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "v w\nab", "b": "v\nab"})
	if _, err := openLines(t, dir, &open); err == nil || !strings.Contains(err.Error(), "the schemas differ: a has v "+
		"text required, w text required; b has v text required") {
		t.Errorf("other columns: %v", err)
	}
	if open.Load() != 0 {
		t.Errorf("%d files of a set that was refused are open", open.Load())
	}
	put(t, dir, map[string]string{"a": "v\nab", "b": "v\na!"})
	f, err := openLines(t, dir, &open)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	nothing := func(table.Batch) error { return nil }
	var input *table.InputError
	if err := f.Read(t.Context(), 1, nil, nothing); !errors.As(err, &input) || input.What != "b: row 1 is damaged" {
		t.Errorf("a damaged file: %v", err)
	}
	again, err := f.Again(table.Request{Private: []string{"v"}})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := f.Unchanged(); err != nil {
		t.Errorf("nothing changed: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"b": "v\nabc"})
	if err := again.Read(t.Context(), 1, nil, nothing); !errors.Is(err, ErrChanged) {
		t.Errorf("a changed file: %v", err)
	}
}
