package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// memoryOutput is an Output that insists on each byte being written once.
type memoryOutput struct {
	sync.Mutex
	b       []byte
	written []bool
	size    int64
}

func (m *memoryOutput) WriteAt(b []byte, off int64) (int, error) {
	m.Lock()
	defer m.Unlock()
	if grow := int(off) + len(b) - len(m.b); grow > 0 {
		m.b = append(m.b, make([]byte, grow)...)
		m.written = append(m.written, make([]bool, grow)...)
	}
	for i := range b {
		if m.written[int(off)+i] {
			return 0, fmt.Errorf("byte %d is written twice", int(off)+i)
		}
		m.written[int(off)+i] = true
	}
	return copy(m.b[off:], b), nil
}

func (m *memoryOutput) Truncate(size int64) error { m.size = size; return nil }

func (m *memoryOutput) Fd() (uintptr, bool) { return 0, false }

// file is what was written, all of it.
func (m *memoryOutput) file(t testing.TB) []byte {
	t.Helper()
	if int64(len(m.b)) != m.size || slices.Contains(m.written, false) {
		t.Fatalf("%d bytes written up to %d of a file of %d", len(m.written), slices.Index(m.written, false), m.size)
	}
	return m.b
}

// shifted is an output alphabet that shares no value with the test values: of
// type t, so many letters in an order that is not sorted, null among them.
func shifted(t table.Type, letters int, null bool) *table.Alphabet {
	var value []table.Value
	for i := range letters {
		n := (i*7 + 3) % letters // a permutation where 7 does not divide letters
		switch {
		case t.Kind == table.Text || t.Kind == table.Binary:
			value = append(value, table.Value{Bytes: fmt.Sprintf("output %d of some length", n)[:7+n%15]})
		case t.Kind == table.Boolean:
			value = append(value, table.Value{Int: int64(1 - i)})
		default:
			value = append(value, table.Value{Int: int64(n + 3)})
		}
	}
	return table.NewAlphabet(t, value, null)
}

// drawn is what the test writes for a letter in a row: a function of both that
// gives every letter, null where it is one, and -1 for -1.
func drawn(letter int32, row int64, to *table.Alphabet) int32 {
	if letter < 0 {
		return -1
	}
	return int32((int64(letter)*5 + row*3) % int64(to.Len()))
}

// rewrite writes the file with what drawn says. public nulls are -1.
func rewrite(t testing.TB, file []byte, r table.Request, public bool, to ...*table.Alphabet) []byte {
	t.Helper()
	out := written(t, file, r, public, to...)
	if bytes.HasPrefix(file, []byte("PAR1")) { // which may have holes
		clear(out.written)
		for i := range out.written {
			out.written[i] = true
		}
	}
	return out.file(t)
}

// written is what the rewriting of a file wrote.
func written(t testing.TB, file []byte, r table.Request, public bool, to ...*table.Alphabet) *memoryOutput {
	t.Helper()
	f, err := open(inMemory(file), r)
	must(t, err)
	in, _, err := f.Scan(context.Background())
	must(t, err)
	for i := range in {
		if public {
			in[i] = in[i].Without()
		}
	}
	out := &memoryOutput{}
	must(t, f.Rewrite(context.Background(), out, in, to, draw(to)))
	return out
}

func draw(to []*table.Alphabet) func(table.Batch) error {
	return func(b table.Batch) error {
		for i, letters := range b.Letters {
			for j, l := range letters {
				letters[j] = drawn(l, b.Row+int64(j), to[i])
			}
		}
		return nil
	}
}

// expected are the cells that rewrite should have written for c.
func expected(c cells, to *table.Alphabet, public bool) cells {
	in, _ := c.counts()
	if public {
		in = in.Without()
	}
	index := in.Index()
	e := cells{typ: to.Type(), null: make([]bool, len(c.value))}
	for row, v := range c.value {
		letter := index[v]
		if c.null != nil && c.null[row] {
			letter = in.Null()
		}
		l := drawn(letter, int64(row), to)
		if e.null[row] = l < 0 || l == to.Null(); e.null[row] {
			e.value = append(e.value, table.Value{})
		} else {
			e.value = append(e.value, to.Values()[l])
		}
	}
	return e
}
