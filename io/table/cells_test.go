package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// bytesInput is a file in memory.
type bytesInput struct{ *bytes.Reader }

func (b bytesInput) Identity() (string, error) { return "memory", nil }

func inMemory(b []byte) table.Input { return bytesInput{bytes.NewReader(b)} }

// cells are what a column should hold.
type cells struct {
	typ   table.Type
	value []table.Value
	null  []bool // nil for a required column
}

// nullPatterns say which rows are null; nil stands for a required column.
var nullPatterns = []struct {
	name string
	null func(row int) bool
}{
	{"required", nil},
	{"none", func(int) bool { return false }},
	{"all", func(int) bool { return true }},
	{"alternating", func(row int) bool { return row%2 == 0 }},
	{"runs", func(row int) bool { return row/37%3 == 1 }},
	{"scattered", func(row int) bool { return row*row%11 == 3 }},
	{"one", func(row int) bool { return row == 5 }},
}

// makeCells draws rows values out of letters different ones.
func makeCells(t table.Type, rows, letters int, null func(int) bool) cells {
	c := cells{typ: t, value: make([]table.Value, rows)}
	if null != nil {
		c.null = make([]bool, rows)
	}
	r := rand.New(rand.NewPCG(uint64(rows), uint64(letters)))
	for row := range c.value {
		c.value[row] = letterValue(t, r.IntN(letters))
		if row/200%2 == 1 && row > 0 { // repeated stretches make runs
			c.value[row] = c.value[row-1]
		}
		if null != nil && null(row) {
			c.value[row], c.null[row] = table.Value{}, true
		}
	}
	return c
}

// letterValue is the n-th of a type's test values: both signs, the ends of
// the range, text with common prefixes, the empty text.
func letterValue(t table.Type, n int) table.Value {
	switch t.Kind {
	case table.Boolean:
		return table.Value{Int: int64(n % 2)}
	case table.Text, table.Binary:
		if n == 0 {
			return table.Value{}
		}
		return table.Value{Bytes: fmt.Sprintf("letter-%03d-%x", n/3, n*n)}
	case table.Date:
		return table.Value{Int: int64(n*307 - 500)}
	}
	if t.Unsigned {
		top := uint64(1)<<t.Bits - 1 // of 64 bits too: the shift gives 0
		return table.Value{Int: int64([]uint64{0, top, top / 2, top/2 + 1, uint64(n) & top}[n%5])}
	}
	low := int64(-1) << (t.Bits - 1)
	return table.Value{Int: []int64{low, -low - 1, 0, -1, int64(n) & (-low - 1)}[n%5]}
}

var parquetTypes = []table.Type{
	{Kind: table.Text}, {Kind: table.Binary}, {Kind: table.Boolean}, {Kind: table.Date},
	{Kind: table.Integer, Bits: 8, Unsigned: false}, {Kind: table.Integer, Bits: 16, Unsigned: false},
	{Kind: table.Integer, Bits: 32, Unsigned: false}, {Kind: table.Integer, Bits: 64, Unsigned: false},
	{Kind: table.Integer, Bits: 8, Unsigned: true}, {Kind: table.Integer, Bits: 16, Unsigned: true},
	{Kind: table.Integer, Bits: 32, Unsigned: true}, {Kind: table.Integer, Bits: 64, Unsigned: true},
}

// counts are the alphabet and counts that Scan should give.
func (c *cells) counts() (*table.Alphabet, []int64) {
	of, nulls := make(map[table.Value]int64), int64(0)
	for row, v := range c.value {
		if c.null != nil && c.null[row] {
			nulls++
		} else {
			of[v]++
		}
	}
	var value []table.Value
	for v := range of {
		value = append(value, v)
	}
	slices.SortFunc(value, c.typ.Compare)
	var count []int64
	for _, v := range value {
		count = append(count, of[v])
	}
	if nulls > 0 {
		count = append(count, nulls)
	}
	return table.NewAlphabet(c.typ, value, nulls > 0), count
}

// checkFile scans and reads a file whose private columns should hold want.
func checkFile(t *testing.T, file []byte, name []string, want ...cells) {
	t.Helper()
	f, err := open(inMemory(file), table.Request{Private: name, Threads: 2})
	must(t, err)
	alphabet, count, err := f.Scan(context.Background())
	must(t, err)
	for i, c := range want {
		a, n := c.counts()
		if got := alphabet[i]; got.Type() != c.typ || got.Null() != a.Null() ||
			!slices.Equal(got.Values(), a.Values()) {
			t.Fatalf("column %s: alphabet of type %v with %d letters, null %d; want %v, %d, %d",
				name[i], got.Type(), got.Len(), got.Null(), c.typ, a.Len(), a.Null())
		}
		if !slices.Equal(count[i], n) {
			t.Fatalf("column %s: counts %v, want %v", name[i], count[i], n)
		}
	}
	row := int64(0)
	for group, rows := range f.Units() {
		start := row
		err := f.Read(context.Background(), group, alphabet, func(b table.Batch) error {
			if b.Row != row || b.Unit != (table.Unit{File: 0, Group: group}) {
				t.Fatalf("batch of %v at row %d, want %v at row %d", b.Unit, b.Row, table.Unit{File: 0, Group: group},
					row)
			}
			for i, letters := range b.Letters {
				want[i].check(t, alphabet[i], row, letters)
				if len(letters) != len(b.Letters[0]) || len(letters) == 0 {
					t.Fatalf("batch with columns of %d and %d rows", len(letters), len(b.Letters[0]))
				}
				for j := range letters {
					letters[j] = -77 // f may change the slices
				}
			}
			row += int64(len(b.Letters[0]))
			return nil
		})
		must(t, err)
		if row != start+rows {
			t.Fatalf("row group %d: %d rows, want %d", group, row-start, rows)
		}
	}
	if row != int64(len(want[0].value)) {
		t.Fatalf("%d rows, want %d", row, len(want[0].value))
	}
}

func (c *cells) check(t *testing.T, a *table.Alphabet, row int64, letters []int32) {
	t.Helper()
	for i, letter := range letters {
		at := row + int64(i)
		switch {
		case c.null != nil && c.null[at]:
			if letter != a.Null() {
				t.Fatalf("row %d: letter %d, want null", at, letter)
			}
		case letter < 0 || letter >= int32(len(a.Values())) || a.Values()[letter] != c.value[at]:
			t.Fatalf("row %d: letter %d of %d is another value than was written", at, letter, a.Len())
		}
	}
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
