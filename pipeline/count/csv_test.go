package count_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// null stands for a cell without text and quotes.
const null = "\x00"

// inMemory is a file to read, held one to write.
type inMemory struct{ *bytes.Reader }

func (inMemory) Identity() (string, error) { return "", nil }

type held struct{ b []byte }

func (w *held) WriteAt(b []byte, at int64) (int, error) {
	w.b = append(w.b, make([]byte, max(0, int(at)+len(b)-len(w.b)))...)
	return copy(w.b[at:], b), nil
}
func (w *held) Truncate(n int64) error { w.b = w.b[:n]; return nil }
func (*held) Fd() (uintptr, bool)      { return 0, false }

// byRun reads a column and writes the file again with the same letters.
func byRun(data []byte, column, comma string) (cells []string, out []byte, err error) {
	f, err := count.OpenFile(inMemory{bytes.NewReader(data)}, table.Request{Private: []string{column},
		Beside: []string{column}, Threads: 1, Dialect: table.Dialect{Delimiter: comma, Header: "yes"}})
	if err != nil {
		return nil, nil, err
	}
	a, _, err := f.Scan(context.Background())
	if err != nil {
		return nil, nil, err
	}
	w := &held{}
	err = f.Rewrite(context.Background(), w, a, a, func(b table.Batch) error {
		for i, letter := range b.Letters[0] {
			switch {
			case letter == a[0].Null():
				cells = append(cells, null)
			case a[0].Values()[letter].Bytes != string(b.Beside[0].Bytes(i)):
				return errors.New("a cell has another text beside")
			default:
				cells = append(cells, a[0].Values()[letter].Bytes)
			}
			if b.Beside[0].Null(i) != (letter == a[0].Null()) {
				return errors.New("a cell is null in one way only")
			}
		}
		return nil
	})
	return cells, w.b, err
}

// byVerify reads a column with the reader of package verify.
func byVerify(data []byte, column, comma string) (cells []string, f files.File, err error) {
	f, err = files.Column{Name: column, Dialect: files.Dialect{Comma: comma[0], Header: true}}.Open(bytes.NewReader(data),
		int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	for unit := range f.Units() {
		var texts []string
		r, err := f.Open(unit, files.NewTexts(f.Type(), &texts))
		if err != nil {
			return nil, nil, err
		}
		letter := make([]int32, 100)
		for n, err := r.Next(letter); err == nil && n > 0; n, err = r.Next(letter) {
			for _, l := range letter[:n] {
				if l == files.Null {
					cells = append(cells, null)
				} else {
					cells = append(cells, texts[l])
				}
			}
		}
	}
	return cells, f, nil
}

// byLibrary reads a column with encoding/csv, which knows no nulls, no carriage return
// within quotes and no empty line.
func byLibrary(data []byte, column int, comma string) (cells []string, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.Comma = rune(comma[0])
	for {
		row, err := r.Read()
		if err == io.EOF {
			return cells[1:], nil
		}
		if err != nil {
			return nil, err
		}
		cells = append(cells, row[column])
	}
}

// asLibrary is what encoding/csv makes of the cells of a file with so many columns.
func asLibrary(cells []string, columns int) []string {
	out := []string{}
	for _, c := range cells {
		if c == null && columns == 1 {
			continue
		}
		c = strings.TrimPrefix(c, null)
		out = append(out, strings.ReplaceAll(c, "\r\n", "\n"))
	}
	return out
}

// FuzzCSV: any bytes are refused by the readers of the run and of package verify, or are
// the same cells to both, and to encoding/csv where it tells them apart. What is written
// has the same cells again, and other columns byte for byte.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"c,d\n1,2\n", "c\n\nx", "\ufeffc,\"d\"\r\n\"a\r\nb\",\r\n\"\",\"\"\"\"\r\n",
		"d,c\n\"x\"y,1\n",
		"d,c\nx\"y,1\n", "c,d\nx\ry,1\n", "d,c\n1\n", "c,d\n1,2,3\n", "c,d\n\"a", "c,d\n,\n", "c,c\n", "c,d\n\xff,1\n",
		"d,\"c\"\n\"1\",\"x\"\n\"2\",\"y\"", "d,c,e\r\n,\"a,b\",\n1,x,2\n", "c\r\n\"\"\r\n\r\nx\r\n", "c,d\n1,2\r",
		"c;d\n1;\"2\"\n"} {
		f.Add([]byte(s), false)
		f.Add([]byte(strings.ReplaceAll(s, ",", ";")), true)
	}
	f.Fuzz(agree)
}

// TestCSVReaders is that of short texts of the bytes that matter.
func TestCSVReaders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{",", ",", ",", "\"", "\"", "\n", "\n", "\n", "\r\n", "x", "y", "\"\"", "\r", "\ufeff", "é", "\xff",
		"\"x,\"", "\";\n\""}
	for range 4_000 {
		text := []string{"c\n", "c,d\n", "d,c\r\n", "\ufeff\"c\",e,d\n", ""}[r.IntN(5)]
		for range r.IntN(12) {
			text += parts[r.IntN(len(parts))]
		}
		agree(t, []byte(text), r.IntN(20) == 0)
	}
}

func agree(t *testing.T, data []byte, semicolon bool) {
	t.Helper()
	comma := ","
	if semicolon {
		comma = ";"
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return // no text to the run, and never a file of its making
	}
	cells, out, err := byRun(data, "c", comma)
	again, in, other := byVerify(data, "c", comma)
	if (err == nil) != (other == nil) {
		if err != nil && strings.Contains(err.Error(), "the file is") {
			return // compressed, by its first bytes, or of another format
		}
		t.Fatalf("%q: the run says %v, verify %v", data, err, other)
	}
	if err != nil {
		var refused *table.InputError
		if !errors.As(err, &refused) || strings.ContainsAny(err.Error(), "\r\n") && !strings.Contains(err.Error(), "c") {
			t.Errorf("%q is refused with %v", data, err)
		}
		return
	}
	if !slices.Equal(cells, again) {
		t.Fatalf("%q: the run reads %q, verify %q", data, cells, again)
	}
	library, err := byLibrary(data, slices.Index(in.Columns(), "c"), comma)
	if want := asLibrary(cells, len(in.Columns())); err != nil || !slices.Equal(library, want) &&
		len(want)+len(library) > 0 {
		t.Fatalf("%q: the run reads %q, encoding/csv %q, %v", data, want, library, err)
	}
	back, written, err := byVerify(out, "c", comma)
	if err != nil || !slices.Equal(cells, back) {
		t.Fatalf("%q is written as %q, %v", data, out, err)
	}
	if !written.Same(in, []string{"c"}) {
		t.Errorf("%q is written as %q, which verify does not find the same", data, out)
	}
	if k := written.Scan(nil, nil); len(k[0].Faults) > 0 {
		t.Errorf("%q is written as %q: %s", data, out, k[0].Faults)
	}
}
