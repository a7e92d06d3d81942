package colfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
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
func shifted(t Type, letters int, null bool) *Alphabet {
	var value []Value
	for i := range letters {
		n := (i*7 + 3) % letters // a permutation where 7 does not divide letters
		switch {
		case t.Kind == Text || t.Kind == Binary:
			value = append(value, Value{Bytes: fmt.Sprintf("output %d of some length", n)[:7+n%15]})
		case t.Kind == Boolean:
			value = append(value, Value{Int: int64(1 - i)})
		default:
			value = append(value, Value{Int: int64(n + 3)})
		}
	}
	return NewAlphabet(t, value, null)
}

// drawn is what the test writes for a letter in a row: a function of both that
// gives every letter, null where it is one, and -1 for -1.
func drawn(letter int32, row int64, to *Alphabet) int32 {
	if letter < 0 {
		return -1
	}
	return int32((int64(letter)*5 + row*3) % int64(to.Len()))
}

// rewrite writes the file with what drawn says. public nulls are -1.
func rewrite(t testing.TB, file []byte, r Request, public bool, to ...*Alphabet) []byte {
	t.Helper()
	f, err := Open(inMemory(file), r)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, _, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range in {
		if public {
			in[i] = in[i].Without()
		}
	}
	out := &memoryOutput{}
	if err := f.Rewrite(context.Background(), out, in, to, draw(to)); err != nil {
		t.Fatal(err)
	}
	return out.file(t)
}

func draw(to []*Alphabet) func(Batch) error {
	return func(b Batch) error {
		for i, letters := range b.Letters {
			for j, l := range letters {
				letters[j] = drawn(l, b.Row+int64(j), to[i])
			}
		}
		return nil
	}
}

// expected are the cells that rewrite should have written for c.
func expected(c cells, to *Alphabet, public bool) cells {
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
			e.value = append(e.value, Value{})
		} else {
			e.value = append(e.value, to.Values()[l])
		}
	}
	return e
}

// checkRewritten reads a rewritten file with arrow-go and with this package.
func checkRewritten(t *testing.T, before, after []byte, gone []string, name []string, want ...cells) {
	t.Helper()
	was, old := readRecords(t, before)
	is, records := readRecords(t, after)
	if len(records) != len(old) {
		t.Fatalf("%d record batches, want %d", len(records), len(old))
	}
	at := 0
	for i, f := range was.Fields() {
		if slices.Contains(gone, f.Name) {
			continue
		}
		g := is.Field(at)
		if g.Name != f.Name {
			t.Fatalf("column %d is %q, want %q", at, g.Name, f.Name)
		}
		private := slices.Index(name, f.Name)
		if private < 0 && (!arrow.TypeEqual(f.Type, g.Type) || f.Nullable != g.Nullable) {
			t.Fatalf("kept column %v became %v", f, g)
		}
		row := 0
		for j, r := range records {
			if err := validate(r.Column(at)); err != nil {
				t.Fatalf("column %v, record batch %d: %v", g, j, err)
			}
			if private < 0 {
				if !array.Equal(r.Column(at), old[j].Column(i)) {
					t.Fatalf("kept column %v differs in record batch %d", f, j)
				}
				continue
			}
			w := want[private]
			part := cells{typ: w.typ, value: w.value[row:], null: w.null[row:]}
			checkColumn(t, r.Column(at), part)
			row += r.Column(at).Len()
		}
		at++
	}
	if at != is.NumFields() {
		t.Fatalf("%d columns, want %d", is.NumFields(), at)
	}
	checkFile(t, after, name, want...)
}

// validate does what arrow-go can check of an array.
func validate(a arrow.Array) error {
	if v, ok := a.(interface{ ValidateFull() error }); ok {
		return v.ValidateFull()
	}
	return nil
}

// checkColumn compares an array with cells, label by label, and looks for
// anything but zeros and valid values under nulls.
func checkColumn(t *testing.T, a arrow.Array, want cells) {
	t.Helper()
	nulls := 0
	for i := range a.Len() {
		if want.null[i] != a.IsNull(i) {
			t.Fatalf("row %d: null is %v", i, a.IsNull(i))
		}
		if want.null[i] {
			nulls++
			continue
		}
		if got, label := arrowLabel(t, a, i), want.typ.Label(want.value[i]); got != label {
			t.Fatalf("row %d is %q, want %q", i, got, label)
		}
	}
	if a.NullN() != nulls {
		t.Fatalf("%d nulls, want %d", a.NullN(), nulls)
	}
	if bitmap := a.Data().Buffers()[0]; nulls == 0 && bitmap != nil && bitmap.Len() > 0 {
		t.Fatal("a validity bitmap without nulls")
	}
}

func arrowLabel(t *testing.T, a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Dictionary:
		return arrowLabel(t, a.Dictionary(), a.GetValueIndex(i))
	case *array.Date32:
		return a.Value(i).FormattedString()
	case *array.Binary:
		return string(a.Value(i))
	case *array.LargeBinary:
		return string(a.Value(i))
	case *array.BinaryView:
		return string(a.Value(i))
	}
	return a.ValueStr(i)
}

func TestArrowRewriteTypesAndNulls(t *testing.T) {
	for _, typ := range parquetTypes {
		for _, dt := range arrowStorage(typ) {
			for i, p := range nullPatterns {
				t.Run(fmt.Sprintf("%v/%v/%s", typ, dt, p.name), func(t *testing.T) {
					letters := 23
					if typ.Kind == Boolean {
						letters = 2
					}
					c := makeCells(typ, 400, 20, p.null)
					file := writeArrow(t, 170, []arrow.DataType{dt}, []cells{c}, 2, arrowCodecs[i%3].option...)
					for _, public := range []bool{true, false} {
						to := shifted(typ, letters, c.null != nil && !public)
						after := rewrite(t, file, Request{Private: []string{"a"}, Threads: 2}, public, to)
						checkRewritten(t, file, after, nil, []string{"a"}, expected(c, to, public))
						schema, _ := readRecords(t, after)
						if f, _ := schema.FieldsByName("a"); !arrow.TypeEqual(f[0].Type, dt) {
							t.Fatalf("type %v became %v", dt, f[0].Type)
						}
					}
				})
			}
		}
	}
}

func TestArrowRewriteSizesAndThreads(t *testing.T) {
	types := []arrow.DataType{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.String}, arrow.PrimitiveTypes.Int32}
	for _, rows := range []int{0, 1, batchRows - 1, batchRows, batchRows + 1, 3*batchRows + 7} {
		for _, p := range nullPatterns[2:4] {
			t.Run(fmt.Sprintf("%d/%s", rows, p.name), func(t *testing.T) {
				c := []cells{makeCells(Type{Kind: Text}, rows, 100, p.null), makeCells(Type{Integer, 32, false}, rows, 9, nil)}
				file := writeArrow(t, 1+rows/3, types, c, 3)
				to := []*Alphabet{shifted(c[0].typ, 40, true), shifted(c[1].typ, 90, false)}
				r := Request{Private: []string{"a", "b"}, Drop: []string{"n1"}, Threads: 1}
				after := rewrite(t, file, r, false, to...)
				checkRewritten(t, file, after, r.Drop, r.Private, expected(c[0], to[0], false), expected(c[1], to[1], false))
				for r.Threads = 2; r.Threads < 6; r.Threads++ {
					if !bytes.Equal(after, rewrite(t, file, r, false, to...)) {
						t.Fatalf("other bytes with %d threads", r.Threads)
					}
				}
			})
		}
	}
}

func TestArrowRewriteNeighbours(t *testing.T) {
	c := makeCells(Type{Kind: Text}, 120, 20, nullPatterns[4].null)
	for i, dt := range []arrow.DataType{arrow.BinaryTypes.StringView, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}} {
		for _, codec := range arrowCodecs[i : i+2] {
			file := writeArrow(t, 50, []arrow.DataType{dt}, []cells{c}, len(arrowNeighbours), codec.option...)
			to := shifted(c.typ, 16, true)
			var drop []string
			for i := -1; i < len(arrowNeighbours); i++ { // drop nothing, then every column alone, then more and more
				if i >= 0 {
					one := []string{fmt.Sprint("n", i)}
					checkRewritten(t, file, rewrite(t, file, Request{Private: []string{"a"}, Drop: one}, false, to), one, []string{"a"}, expected(c, to, false))
					drop = append(drop, one...)
				}
				checkRewritten(t, file, rewrite(t, file, Request{Private: []string{"a"}, Drop: drop}, false, to), drop, []string{"a"}, expected(c, to, false))
			}
		}
	}
}

func TestArrowRewriteAsText(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}} {
		c := makeCells(Type{Integer, 64, false}, 500, 20, nullPatterns[3].null)
		to := shifted(Type{Kind: Text}, 12, true)
		after := rewrite(t, writeArrow(t, 200, []arrow.DataType{dt}, []cells{c}, 1), Request{Private: []string{"a"}}, false, to)
		checkFile(t, after, []string{"a"}, expected(c, to, false))
		schema, _ := readRecords(t, after)
		got := schema.Field(0).Type
		if d, ok := got.(*arrow.DictionaryType); ok {
			got = d.ValueType
		}
		if got.ID() != arrow.STRING {
			t.Errorf("%v became %v, want utf8", dt, got)
		}
	}
}

func TestArrowRewriteWidensIndices(t *testing.T) {
	for _, w := range []struct {
		from    arrow.DataType
		letters int
		to      arrow.DataType
	}{
		{arrow.PrimitiveTypes.Int8, 128, arrow.PrimitiveTypes.Int8}, {arrow.PrimitiveTypes.Int8, 129, arrow.PrimitiveTypes.Int16},
		{arrow.PrimitiveTypes.Uint8, 256, arrow.PrimitiveTypes.Uint8}, {arrow.PrimitiveTypes.Uint8, 257, arrow.PrimitiveTypes.Uint16},
		{arrow.PrimitiveTypes.Int8, 32769, arrow.PrimitiveTypes.Int32}, {arrow.PrimitiveTypes.Uint64, 300, arrow.PrimitiveTypes.Uint64},
	} {
		c := makeCells(Type{Kind: Date}, 2*w.letters+100, 20, nil)
		to := shifted(c.typ, w.letters, false)
		file := writeArrow(t, 1<<20, []arrow.DataType{&arrow.DictionaryType{IndexType: w.from, ValueType: arrow.FixedWidthTypes.Date32}}, []cells{c}, 0)
		after := rewrite(t, file, Request{Private: []string{"a"}}, false, to)
		checkRewritten(t, file, after, nil, []string{"a"}, expected(c, to, false))
		schema, _ := readRecords(t, after)
		if got := schema.Field(0).Type.(*arrow.DictionaryType).IndexType; got != w.to {
			t.Errorf("%d letters: index type %v became %v, want %v", w.letters, w.from, got, w.to)
		}
	}
}

func TestArrowRewriteKeepsAskedMetadataOnly(t *testing.T) {
	c := makeCells(Type{Kind: Text}, 10, 3, nil)
	kv := arrow.MetadataFrom(map[string]string{"keep": "1", "go": "2"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Metadata: kv}, {Name: "n", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Metadata: kv}), Metadata: kv}}, &kv)
	n, _, err := array.FromJSON(memory.DefaultAllocator, schema.Field(1).Type, bytes.NewReader([]byte(`[{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1}]`)))
	if err != nil {
		t.Fatal(err)
	}
	file := writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{arrowArray(t, arrow.BinaryTypes.String, c, 0, 10), n}, 10)})
	got, _ := readRecords(t, rewrite(t, file, Request{Private: []string{"a"}, Metadata: []string{"keep"}}, false, shifted(c.typ, 2, false)))
	one := arrow.MetadataFrom(map[string]string{"keep": "1"})
	inner := got.Field(1).Type.(*arrow.StructType).Field(0).Metadata
	if !got.Metadata().Equal(one) || !got.Field(1).Metadata.Equal(one) || !inner.Equal(one) {
		t.Errorf("metadata %v, %v, %v; want %v", got.Metadata(), got.Field(1).Metadata, inner, one)
	}
	if got.Field(0).Metadata.Len() != 0 {
		t.Errorf("the private column keeps metadata %v", got.Field(0).Metadata)
	}
}

func TestArrowRewriteErrors(t *testing.T) {
	c := makeCells(Type{Kind: Text}, 30000, 20, nil)
	file := writeArrow(t, 1000, []arrow.DataType{arrow.BinaryTypes.String}, []cells{c}, 1)
	open := func() (File, []*Alphabet) {
		f, err := Open(inMemory(file), Request{Private: []string{"a"}, Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := f.Scan(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return f, in
	}
	f, in := open()
	to := []*Alphabet{shifted(c.typ, 5, false)}
	bad := errors.New("bad")
	for range 20 {
		err := f.Rewrite(context.Background(), &memoryOutput{}, in, to, func(b Batch) error {
			if b.Unit.Group >= 7 {
				return fmt.Errorf("%w: %d", bad, b.Unit.Group)
			}
			return draw(to)(b)
		})
		if !errors.Is(err, bad) || err.Error() != "bad: 7" {
			t.Fatalf("error %v, want that of record batch 7", err)
		}
	}
	for _, l := range []int32{-2, -1, 5} {
		err := f.Rewrite(context.Background(), &memoryOutput{}, in, to, func(b Batch) error { b.Letters[0][0] = l; return nil })
		if err == nil {
			t.Errorf("letter %d is written", l)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := f.Rewrite(ctx, &memoryOutput{}, in, to, func(b Batch) error { cancel(); return draw(to)(b) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
	in[0] = NewAlphabet(in[0].Type(), in[0].Values()[1:], false)
	if err := f.Rewrite(context.Background(), &memoryOutput{}, in, to, draw(to)); !errors.Is(err, ErrUnseen) {
		t.Errorf("error %v for an unseen value", err)
	}
}
