package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

// fileOf is what arrow-go writes of these columns, each row by row as JSON.
func fileOf(t *testing.T, fields []arrow.Field, rows []string, options ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var columns []arrow.Array
	for i, f := range fields {
		a, _, err := array.FromJSON(memory.DefaultAllocator, f.Type, strings.NewReader(rows[i]))
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, a)
	}
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, append(options, ipc.WithSchema(schema))...)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, columns, int64(columns[0].Len()))), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Identity() (string, error) { return "", nil }

// redrawn is the file with the next value of the alphabet in column p, and what arrow-go
// reads of it.
func redrawn(t *testing.T, file []byte) ([]byte, arrow.RecordBatch, error) {
	t.Helper()
	f, err := Format.Open(held{bytes.NewReader(file)}, table.Request{Private: []string{"p"}})
	if err != nil {
		return nil, nil, err
	}
	in, _, err := f.Scan(context.Background())
	if err != nil {
		return nil, nil, err
	}
	out := &memoryFile{}
	if err := f.Rewrite(context.Background(), out, in, in, func(b table.Batch) error {
		for i, x := range b.Letters[0] {
			b.Letters[0][i] = (x + 1) % int32(in[0].Len())
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	r, err := ipc.NewFileReader(bytes.NewReader(out.b))
	if err != nil {
		t.Fatal(err)
	}
	if r.NumRecords() == 0 {
		return out.b, nil, nil
	}
	rec, err := r.RecordBatchAt(0)
	if err != nil {
		t.Fatal(err)
	}
	return out.b, rec, nil
}

type memoryFile struct{ b []byte }

func (m *memoryFile) WriteAt(b []byte, off int64) (int, error) {
	m.b = append(m.b[:off], b...)
	return len(b), nil
}
func (m *memoryFile) Truncate(size int64) error { m.b = m.b[:size]; return nil }
func (m *memoryFile) Fd() (uintptr, bool)       { return 0, false }

var dictionaryOfText = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}

// A kept column that shares the private one's dictionary keeps its values.
func TestSharedDictionary(t *testing.T) {
	text := `["a", "b", null, "b"]`
	file := fileOf(t, []arrow.Field{{Name: "p", Type: dictionaryOfText, Nullable: true},
		{Name: "k", Type: dictionaryOfText, Nullable: true}}, []string{text, text})
	from := len(file) - tailSize - int(binary.LittleEndian.Uint32(file[len(file)-tailSize:]))
	fields, _ := root(file[from:]).sub(1)
	d, _ := fields.tables(1)[1].sub(4)
	file[from+d.slot(0)] = 0 // where it was dictionary 1
	_, rec, err := redrawn(t, file)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "b", "(null)", "b"}
	for i, s := range want {
		next := map[string]string{"a": "b", "b": "(null)", "(null)": "a"}[s]
		if p, k := rec.Column(0).ValueStr(i), rec.Column(1).ValueStr(i); p != next || k != s {
			t.Errorf("row %d is %s and %s, want %s and %s", i, p, k, next, s)
		}
	}
}

// Of what stands in a file beside the values of its rows, between buffers and behind the
// last bit, nothing is written, whatever the types of kept columns are.
func TestNothingElseIsWritten(t *testing.T) {
	fields := []arrow.Field{{Name: "p", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "i", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "v", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "d", Type: dictionaryOfText, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		{Name: "s", Nullable: true, Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8,
			Nullable: true})}}
	file := fileOf(t, fields, []string{`["a", null, "b"]`, `[1, null, 3]`, `[true, null, true]`,
		`["x", null, "a text that is too long for a view"]`, `["u", null, "w"]`, `[["x"], null, []]`,
		`[{"x": 1}, null, {"x": null}]`})
	clean, _, err := redrawn(t, file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openSource(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range slices.Concat(f.dicts, f.batches) {
		m, err := f.message(b)
		if err != nil {
			t.Fatal(err)
		}
		used := make([]bool, b.body)
		at, n := m.batch.vector(2, 16)
		for k := range n {
			off, size := m.pair(at + 16*k)
			for j := off; j < off+size; j++ {
				used[j] = true
			}
		}
		for j, used := range used {
			if !used {
				file[b.at+b.meta+int64(j)] = 0xa5
			}
		}
		if i == len(f.dicts) { // the bits of a boolean behind the last row, and those of its nulls
			for k := range []int{5, 6} {
				off, _ := m.pair(at + 16*(5+k))
				file[b.at+b.meta+off] |= 0xf0
			}
		}
	}
	dirty, _, err := redrawn(t, file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(clean, dirty) {
		t.Error("bytes between buffers change what is written")
	}
}

// Polars reads no compressed view array that has a buffer of text without any.
func TestShortViews(t *testing.T) {
	file := fileOf(t, []arrow.Field{{Name: "p", Type: arrow.BinaryTypes.StringView}}, []string{`["a", "b"]`},
		ipc.WithZstd())
	_, rec, err := redrawn(t, file)
	if err != nil || len(rec.Column(0).Data().Buffers()) != 2 {
		t.Errorf("%v, %v", rec, err)
	}
}

// A small file asks for little memory, whatever it says of its lengths.
func TestHostileLengths(t *testing.T) {
	fields := []arrow.Field{{Name: "p", Type: dictionaryOfText, Nullable: true},
		{Name: "k", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}}
	rows := []string{`["a", "b", null, "b"]`, `[[1, 2], null, [], [3]]`}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, option := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
		file := fileOf(t, fields, rows, option...)
		for range 400 {
			bad := bytes.Clone(file)
			at := rng.IntN(len(bad) - 8)
			binary.LittleEndian.PutUint32(bad[at:], []uint32{1 << 31, 1<<31 - 1, 1 << 30, 1 << 20, 0xffffffff}[rng.IntN(5)])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := redrawn(t, bad)
			if _, _, err := Heads(bytes.NewReader(bad), int64(len(bad))); err == nil {
				believed(bad)
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Fatalf("%d MiB are allocated with byte %d changed", used>>20, at)
			}
			if err != nil && !errors.As(err, new(*table.InputError)) {
				t.Fatalf("an error of another kind: %v", err)
			}
		}
	}
}

// believed reads a file by arrow-go alone, which may fail or panic.
func believed(file []byte) {
	defer func() { _ = recover() }()
	if r, err := ipc.NewFileReader(bytes.NewReader(file)); err == nil {
		_, _ = r.RecordBatchAt(0)
	}
}

// A file of some kilobytes that unfolds into gigabytes takes no more memory than a tenth of one, in
// columns and in dictionaries.
func TestBomb(t *testing.T) {
	const rows = 1 << 27
	zeros, err := syscall.Mmap(-1, 0, 8*rows, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(zeros)
	of := func(typ arrow.DataType, n int) arrow.Array {
		return array.MakeFromData(array.NewData(typ, n, []*memory.Buffer{nil, memory.NewBufferBytes(zeros)}, nil, 0, 0))
	}
	named := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}
	for _, bomb := range []arrow.Array{of(arrow.PrimitiveTypes.Int8, rows), array.NewDictionaryArray(named,
		of(arrow.PrimitiveTypes.Int8, 8), of(arrow.PrimitiveTypes.Int64, rows))} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "p", Type: bomb.DataType()}}, nil)
		var file bytes.Buffer
		w, err := ipc.NewFileWriter(&file, ipc.WithSchema(schema), ipc.WithZstd())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{bomb}, int64(bomb.Len()))),
			w.Close()); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err = redrawn(t, file.Bytes())
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		if !errors.As(err, new(*table.InputError)) || file.Len() > 1<<20 || used > 100 {
			t.Errorf("%s of %d KiB takes %d MiB: %v", bomb.DataType(), file.Len()>>10, used, err)
		}
	}
}

// Buffers that a writer leaves as they are, since compression saves too little, are read like any.
func TestIncompressible(t *testing.T) {
	values := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range 64 {
		values.Append(int64(uint64(i+1) * 0x9e3779b97f4a7c15 >> 1))
	}
	column := values.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "p", Type: column.DataType()}}, nil)
	var file bytes.Buffer
	w, err := ipc.NewFileWriter(&file, ipc.WithSchema(schema), ipc.WithZstd(), ipc.WithMinSpaceSavings(0.9))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{column}, 64)), w.Close()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file.Bytes(), []byte("\xff\xff\xff\xff\xff\xff\xff\xff")) {
		t.Error("control: no buffer is left as it is")
	}
	if _, _, err := redrawn(t, file.Bytes()); err != nil {
		t.Error(err)
	}
}
