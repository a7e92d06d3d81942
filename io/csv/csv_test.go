package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/tacet-privacy/tacet/io/table"
)

// text is a file in memory, and what is written.
type text struct{ *bytes.Reader }

func (text) Identity() (string, error) { return "", nil }

type written struct {
	sync.Mutex
	b []byte
}

func (w *written) WriteAt(b []byte, at int64) (int, error) {
	w.Lock()
	defer w.Unlock()
	w.b = append(w.b, make([]byte, max(0, int(at)+len(b)-len(w.b)))...)
	return copy(w.b[at:], b), nil
}
func (w *written) Truncate(n int64) error { w.b = w.b[:n]; return nil }
func (*written) Fd() (uintptr, bool)      { return 0, false }

func opened(file string, r table.Request) (table.File, error) {
	return table.Open(text{bytes.NewReader([]byte(file))}, r, Format)
}

// turned rewrites a file so that each value becomes the one behind it.
func turned(t *testing.T, file string, r table.Request) (out string, alphabet []*table.Alphabet, count [][]int64) {
	t.Helper()
	r.Threads = 1
	f, err := opened(file, r)
	if err != nil {
		t.Fatal(err)
	}
	if alphabet, count, err = f.Scan(context.Background()); err != nil {
		t.Fatal(err)
	}
	w := &written{}
	if err := f.Rewrite(context.Background(), w, alphabet, alphabet, func(b table.Batch) error {
		for i, letters := range b.Letters {
			for row := range letters {
				letters[row] = (letters[row] + 1) % int32(alphabet[i].Len())
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return string(w.b), alphabet, count
}

func TestRewrite(t *testing.T) {
	c, header := []string{"c"}, table.Dialect{Header: "no", Delimiter: ","}
	for name, k := range map[string]struct {
		request  table.Request
		in, want string
	}{
		"plain":            {table.Request{Private: c}, "a,c\n1,x\n2,y\n", "a,c\n1,y\n2,x\n"},
		"no last line end": {table.Request{Private: c}, "a,c\n1,x\n2,y", "a,c\n1,y\n2,x"},
		"windows": {table.Request{Private: c}, "\ufeffc;a\r\nx;1\r\ny;\"2\r\n\"\r\n",
			"\ufeffc;a\r\ny;1\r\nx;\"2\r\n\"\r\n"},
		"other cells": {table.Request{Private: c}, "a\tc\n\"q\"\"q\"\tx\n 007 \ty\n\ty\n", "a\tc\n\"q\"\"q\"\ty\n " +
			"007 \tx\n\tx\n"},
		"quoted column": {table.Request{Private: c}, "a|\"c\"\n1|\"x\"\n\"2\"|\"y\"\n",
			"a|\"c\"\n1|\"y\"\n\"2\"|\"x\"\n"},
		"needs quotes":      {table.Request{Private: c}, "a,c\n1,x\n2,\"y,\"\n", "a,c\n1,\"y,\"\n2,x\n"},
		"quotes in quotes":  {table.Request{Private: c}, "a,c\n1,x\n2,\"\"\"\"\n", "a,c\n1,\"\"\"\"\n2,x\n"},
		"null and empty":    {table.Request{Private: c}, "a,c\n1,\n2,\"\"\n3,x\n", "a,c\n1,\"\"\n2,x\n3,\n"},
		"one column":        {table.Request{Private: c}, "c\nx\n\ny", "c\ny\nx\n\n"},
		"one quoted column": {table.Request{Private: c}, "\"c\"\r\n\"x\"\r\n\"y\"", "\"c\"\r\n\"y\"\r\n\"x\""},
		"no header": {table.Request{Private: []string{"column_2"}, Dialect: header}, "1,x\n2,y\n",
			"1,y\n2,x\n"},
		"no header, mark": {table.Request{Private: []string{"column_1"}, Dialect: header}, "\ufeffx,1\ny,2\n",
			"\ufeffy,1\nx,2\n"},
		"two columns": {table.Request{Private: []string{"c", "a"}}, "a,b,c\n1,2,x\n2,3,y\n", "a,b,c\n2,2,y\n1,3,x\n"},
		"dropped": {table.Request{Private: c, Drop: []string{"a", "d", "g"}},
			"a,b,c,d,e,f,g\n1,\"2\",x,4,5,6,7\r\n1,2,y,4,5,,\n",
			"b,c,e,f\n\"2\",y,5,6\r\n2,x,5,\n"},
		"all but one dropped": {table.Request{Private: c, Drop: []string{"a"}}, "a,c\n1,\n2,x", "c\nx\n\n"},
		"a mark in a value":   {table.Request{Private: c}, "c,a\nx,1\n\"\ufeffy\",2\n", "c,a\n\"\ufeffy\",1\nx,2\n"},
		"header alone":        {table.Request{Private: c}, "a,c\n", "a,c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, _, _ := turned(t, k.in, k.request); out != k.want {
				t.Errorf("%q, want %q", out, k.want)
			}
		})
	}
}

// Which cells have quotes is the same for every file that differs in private values
// alone: the quotes of a cell that needs them go with it.
func TestQuotesTellNothing(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a,c\n1,\"x,\"\n2,y\n3,y\n", "a,c\n1,y\n2,\"x,\"\n3,\"x,\"\n"},
		{"a,c\n1,\"x,\"\n2,\"y\"\n3,\n", "a,c\n1,\"y\"\n2,\n3,\"x,\"\n"},
		{"a,c\n1,\"x\"\n2,y\n3,y\n", "a,c\n1,y\n2,x\n3,x\n"},
	} {
		if out, _, _ := turned(t, c.in, table.Request{Private: []string{"c"}}); out != c.want {
			t.Errorf("%q, want %q", out, c.want)
		}
	}
}

func TestDialects(t *testing.T) {
	long := strings.Repeat("x,y;z\n", sampleSize) // which is cut within a row
	for _, c := range []struct {
		in, comma, header, want string
	}{
		{"a,b\n1,2\n", "", "", ", yes"},
		{"a;b\n1,5;2,5\n", "", "", "; yes"},
		{"a\tb\n1\t2,3\n", "", "", "\t yes"},
		{"a|b\n", "", "", "| yes"},
		{"name\nx\n", "", "", ", yes"},
		{"\"a,b\";c\nx;y\n", "", "", "; yes"},
		{"p,q\n" + long[:sampleSize], "", "", ", yes"},
		{"p,q\n" + long[:sampleSize/6*6], "", "", ", yes"},
		{"p;q,r\nx;y,z\n", "", "", "comma and semicolon would do"},
		{"p,q\nx\n", "", "", "cannot be told"},
		{"name\n\"x, y\"\n", "", "", "cannot be told"},
		{"p;q,r\nx;y,z\n", "semicolon", "", "; yes"},
		{"p:q\nx:y\n", ":", "", ": yes"},
		{"p:q\nx:y\n", "x", "", "is no delimiter"},
		{"p:q\nx:y\n", "\"", "", "is no delimiter"},
		{"p,q\nx,y\n", ",", "no", ", no"},
		{"p,2\nx,y\n", "", "", "cell 2 is a number"},
		{"p,2024-02-01\nx,y\n", "", "", "cell 2 is a number or a date"},
		{"p,2\nx,y\n", "", "yes", ", yes"},
		{"p,q\nx,q\n", "", "", "cell 2 comes again"},
		{",q\n1,x\n", "", "", ", yes"},
	} {
		f, err := opened(c.in, table.Request{Dialect: table.Dialect{Delimiter: c.comma, Header: c.header}})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = f.Dialect().Delimiter + " " + f.Dialect().Header
		}
		if !strings.HasSuffix(got, c.want) && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%.20q: %q, want %q", c.in, got, c.want)
		}
		if err != nil && strings.Contains(got, "x") && !strings.Contains(got, "\"x\" is no") {
			t.Errorf("%q shows a cell", got)
		}
	}
}

// What cannot be read is refused with its row, and no cell is shown.
func TestRefused(t *testing.T) {
	comma := table.Dialect{Delimiter: ",", Header: "yes"}
	many := "a,c\n" + strings.Repeat("1,zebra\n", 70_000)
	for _, c := range []struct{ in, want string }{
		{"a,c\n1,zebra\n1\n", "row 2: the row has 1 cells, the first row has 2"},
		{"a,c\n1,zebra\n1,2,zebra\n", "row 2: the row has more cells than the first row, which has 2"},
		{"a,c\n1,zebra\n\n2,x\n", "row 2: the row has 1 cells"},
		{"a,c\n1,ze\"bra\n", `column "c", row 1: a quote inside a cell without quotes`},
		{"a,c\n1,\"ze\"bra\n", `column "c", row 1: text behind a closing quote`},
		{"a,c\n1,\"zebra\n", `column "c", row 1: a quote is never closed`},
		{"a,c\n1,ze\rbra\n", `column "c", row 1: a carriage return without a line feed`},
		{"a,c\n1,zebra\r", `column "c", row 1: a carriage return without a line feed`},
		{"a,c\n1,zebra\n1,zebra\xff\n", "row 2: the text is not UTF-8"},
		{"a,c\xff\n1,zebra\n", "first row of the CSV file, cell 2: the text is not UTF-8"},
		{"a,\"c\n1,zebra\n", "first row of the CSV file, cell 2: a quote is never closed"},
		{many + "zebra\n1,zebra\n", "row 70001: the row has 1 cells"},
		{many + "1,zeb\xffra\n1,zebra\n", "row 70001: the text is not UTF-8"},
		{"\xff\xfea\x00,\x00c\x00\n", "UTF-16"},
		{"\x1f\x8bzebra", "gzip"},
		{"a,c\n1,z\x00ebra\n", "zero bytes"},
		{"a,c,c\n1,2,zebra\n", `two columns named "c"`},
	} {
		f, err := opened(c.in, table.Request{Private: []string{"c"}, Threads: 2, Dialect: comma})
		if err == nil {
			_, _, err = f.Scan(context.Background())
		}
		var refused *table.InputError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || refused.Hint == "" ||
			strings.Contains(err.Error()+refused.Hint, "zeb") {
			t.Errorf("%.30q: %v, want %q", c.in, err, c.want)
		}
	}
	for _, row := range []string{"zebra,1,2", "zebra,1,2,3,4"} { // the columns behind that are not read are counted, too
		f, err := opened("c,a,b,d\nzebra,1,2,3\n"+row+"\n", table.Request{Private: []string{"c"}, Dialect: comma,
			Drop: []string{"a", "b", "d"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = f.Scan(context.Background()); err == nil || !strings.Contains(err.Error(), "row 2: the row has ") {
			t.Errorf("%s: %v", row, err)
		}
	}
	if _, err := opened("1,x\n2,y\n", table.Request{Private: []string{"column_1"}, Drop: []string{"column_2"},
		Dialect: table.Dialect{Delimiter: ",", Header: "no"}}); err == nil {
		t.Error("a column without a name was dropped")
	}
}

// Rows of all lengths, with line feeds within quotes, are in the same blocks wherever
// windows end, and come out as they went in.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var in strings.Builder
	in.WriteString("a,c,b\n")
	const n = 2*BlockRows + 1000
	for i := range n {
		other := strings.Repeat("x", r.IntN(30))
		switch r.IntN(5) {
		case 0:
			other = "\"" + other + "\n\"\",\r\n\""
		case 1:
			other = "\"\""
		}
		if i == BlockRows/2 {
			other = "\"" + strings.Repeat("y\n", 3*window/2) + "\""
		}
		fmt.Fprintf(&in, "%s,v%d,%d\r\n", other, i%7, i)
	}
	for _, threads := range []int{1, 3} {
		f, err := opened(in.String(), table.Request{Private: []string{"c"}, Beside: []string{"b", "a"}, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(f.Units()); got != "[65536 65536 1000]" {
			t.Fatal(got)
		}
		alphabet, count, err := f.Scan(context.Background())
		if err != nil || alphabet[0].Len() != 7 || count[0][6] != n/7 {
			t.Fatal(err, count)
		}
		w := &written{b: make([]byte, 0, in.Len())}
		if err := f.Rewrite(context.Background(), w, alphabet, alphabet, func(b table.Batch) error {
			for i, letter := range b.Letters[0] {
				row := b.Row + int64(i)
				if int64(letter) != row%7 || string(b.Beside[0].Bytes(i)) != fmt.Sprint(row) || b.Unit.Group != int(row/BlockRows) {
					return fmt.Errorf("row %d is %d", row, letter)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if string(w.b) != in.String() {
			t.Errorf("%d threads: the file is another one", threads)
		}
	}
}
