package pipeline

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/records"
)

// A checkedRow has a letter, or null, and beside it k, a number or a text.
type checkedRow[K any] struct {
	C *string `parquet:"c,optional,dict"`
	K K       `parquet:"k"`
}

// checkedInput writes rows with the letters a to h of unlike frequencies, and
// nulls, in three row groups; column text, k or none, is one of text.
func checkedInput(t *testing.T, rows int, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	err := checkedFile(path, rows, func(i int) int64 { return int64(i) })
	if text == "k" {
		err = checkedFile(path, rows, func(int) string { return "a text" })
	}
	must(t, err)
	return path
}

func checkedFile[K any](path string, n int, beside func(i int) K) error {
	rows := make([]checkedRow[K], n)
	for i := range rows {
		if rows[i].K = beside(i); i%11 != 3 {
			rows[i].C = &checkedLetters[min(i%8, (i/3)%9)]
		}
	}
	return parquet.WriteFile(path, rows, parquet.MaxRowsPerRowGroup(4000))
}

// from writes the output of an honest run over another input, in which column
// text is one.
func from(rows int, drop []string, text string) func(*testing.T, *faulted) {
	return func(t *testing.T, f *faulted) {
		other := *f.part.Options
		other.Input, other.Drop = checkedInput(t, rows, text), drop
		reading, err := other.Reading()
		must(t, err)
		s, err := count.OpenColumn(t.Context(), reading, "c")
		must(t, err)
		defer s.Close()
		must(t, records.Draw(context.Background(), s.Input, f.parts.drawn(), f.outputs))
	}
}

// damaged changes bytes of an honest output.
func damaged(change func([]byte)) func(*testing.T, *faulted) {
	return func(t *testing.T, f *faulted) {
		whole := &inMemory{}
		must(t, records.Draw(context.Background(), f.release.s, f.parts.drawn(), whole))
		change(whole.data)
		if _, err := f.outputs[0].WriteAt(whole.data, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// inMemory is an output that can be looked at.
type inMemory struct {
	sync.Mutex
	data []byte
}

func (m *inMemory) Begin(int) (publish.Output, error) { return m, nil }

func (m *inMemory) End(int) error { return nil }

func (m *inMemory) WriteAt(b []byte, off int64) (int, error) {
	m.Lock()
	defer m.Unlock()
	m.grow(off + int64(len(b)))
	return copy(m.data[off:], b), nil
}

func (m *inMemory) Truncate(size int64) error {
	m.Lock()
	defer m.Unlock()
	m.grow(size)
	m.data = m.data[:size]
	return nil
}

func (m *inMemory) Fd() (uintptr, bool) { return 0, false }

func (m *inMemory) grow(size int64) {
	if n := size - int64(len(m.data)); n > 0 {
		m.data = append(m.data, make([]byte, n)...)
	}
}
