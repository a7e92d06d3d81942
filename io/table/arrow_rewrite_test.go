package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

func TestArrowRewriteTypesAndNulls(t *testing.T) {
	for _, typ := range parquetTypes {
		for _, dt := range arrowStorage(typ) {
			for i, p := range nullPatterns {
				t.Run(fmt.Sprintf("%v/%v/%s", typ, dt, p.name), func(t *testing.T) {
					letters := 23
					if typ.Kind == table.Boolean {
						letters = 2
					}
					c := makeCells(typ, 250, 20, p.null)
					file := writeArrow(t, 110, []arrow.DataType{dt}, []cells{c}, 2, arrowCodecs[i%3].option...)
					checkFile(t, file, []string{"a"}, c)
					for _, public := range []bool{true, false} {
						to := shifted(typ, letters, c.null != nil && !public)
						after := rewrite(t, file, table.Request{Private: []string{"a"}, Threads: 2}, public, to)
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
	types := []arrow.DataType{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16,
		ValueType: arrow.BinaryTypes.String}, arrow.PrimitiveTypes.Int32}
	for _, rows := range []int{0, 1, table.BatchRows - 1, table.BatchRows, table.BatchRows + 1, 3*table.BatchRows + 7} {
		for _, p := range nullPatterns[:4] {
			t.Run(fmt.Sprintf("%d/%s", rows, p.name), func(t *testing.T) {
				c := []cells{makeCells(table.Type{Kind: table.Text}, rows, 100, p.null),
					makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, rows, 9, nil)}
				file := writeArrow(t, 1+rows/3, types, c, 3)
				checkFile(t, writeArrow(t, 1<<20, types, c, 2), []string{"b", "a"}, c[1], c[0])
				checkFile(t, file, []string{"a", "b"}, c...)
				to := []*table.Alphabet{shifted(c[0].typ, 40, true), shifted(c[1].typ, 90, false)}
				r := table.Request{Private: []string{"a", "b"}, Drop: []string{"n1"}, Threads: 1}
				after := rewrite(t, file, r, false, to...)
				checkRewritten(t, file, after, r.Drop, r.Private, expected(c[0], to[0], false),
					expected(c[1], to[1], false))
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
	c := makeCells(table.Type{Kind: table.Text}, 120, 20, nullPatterns[4].null)
	for i, dt := range []arrow.DataType{arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}} {
		for _, codec := range arrowCodecs[i : i+2] {
			file := writeArrow(t, 50, []arrow.DataType{dt}, []cells{c}, len(arrowNeighbours), codec.option...)
			checkFile(t, file, []string{"a"}, c)
			to := shifted(c.typ, 16, true)
			var drop []string
			for i := -1; i < len(arrowNeighbours); i++ { // drop nothing, then every column alone, then more and more
				if i >= 0 {
					one := []string{fmt.Sprint("n", i)}
					checkRewritten(t, file, rewrite(t, file, table.Request{Private: []string{"a"}, Drop: one}, false,
						to), one, []string{"a"}, expected(c, to, false))
					drop = append(drop, one...)
				}
				checkRewritten(t, file, rewrite(t, file, table.Request{Private: []string{"a"}, Drop: drop}, false, to),
					drop, []string{"a"}, expected(c, to, false))
			}
		}
	}
}

func TestArrowRewriteAsText(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}} {
		c := makeCells(table.Type{Kind: table.Integer, Bits: 64, Unsigned: false}, 500, 20, nullPatterns[3].null)
		to := shifted(table.Type{Kind: table.Text}, 12, true)
		after := rewrite(t, writeArrow(t, 200, []arrow.DataType{dt}, []cells{c}, 1),
			table.Request{Private: []string{"a"}}, false, to)
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
		{arrow.PrimitiveTypes.Int8, 128, arrow.PrimitiveTypes.Int8},
		{arrow.PrimitiveTypes.Int8, 129, arrow.PrimitiveTypes.Int16},
		{arrow.PrimitiveTypes.Uint8, 256, arrow.PrimitiveTypes.Uint8},
		{arrow.PrimitiveTypes.Uint8, 257, arrow.PrimitiveTypes.Uint16},
		{arrow.PrimitiveTypes.Int8, 32769, arrow.PrimitiveTypes.Int32},
		{arrow.PrimitiveTypes.Uint64, 300, arrow.PrimitiveTypes.Uint64},
	} {
		c := makeCells(table.Type{Kind: table.Date}, 2*w.letters+100, 20, nil)
		to := shifted(c.typ, w.letters, false)
		file := writeArrow(t, 1<<20, []arrow.DataType{&arrow.DictionaryType{IndexType: w.from,
			ValueType: arrow.FixedWidthTypes.Date32}}, []cells{c}, 0)
		after := rewrite(t, file, table.Request{Private: []string{"a"}}, false, to)
		checkRewritten(t, file, after, nil, []string{"a"}, expected(c, to, false))
		schema, _ := readRecords(t, after)
		if got := schema.Field(0).Type.(*arrow.DictionaryType).IndexType; got != w.to {
			t.Errorf("%d letters: index type %v became %v, want %v", w.letters, w.from, got, w.to)
		}
	}
}

// What was asked for stays, and all that is said of a kept column and of what
// is below it.
func TestArrowRewriteMetadata(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 10, 3, nil)
	kv := arrow.MetadataFrom(map[string]string{"keep": "1", "go": "2"})
	own := arrow.MetadataFrom(map[string]string{"keep": "1", "go": "2", "ARROW:extension:name": "note",
		"ARROW:extension:metadata": "of a kind"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Metadata: own},
		{Name: "n", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Metadata: own}),
			Metadata: own}}, &kv)
	n, _, err := array.FromJSON(memory.DefaultAllocator, schema.Field(1).Type,
		bytes.NewReader([]byte(`[{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1}]`)))
	if err != nil {
		t.Fatal(err)
	}
	file := writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema,
		[]arrow.Array{arrowArray(t, arrow.BinaryTypes.String, c, 0, 10), n}, 10)})
	got, _ := readRecords(t, rewrite(t, file, table.Request{Private: []string{"a"}, Metadata: []string{"keep"}}, false,
		shifted(c.typ, 2, false)))
	one := arrow.MetadataFrom(map[string]string{"keep": "1"})
	inner := got.Field(1).Type.(*arrow.StructType).Field(0).Metadata
	if !got.Metadata().Equal(one) || !got.Field(1).Metadata.Equal(own) || !inner.Equal(own) {
		t.Errorf("metadata %v, %v, %v; want %v and %v", got.Metadata(), got.Field(1).Metadata, inner, one, own)
	}
	if got.Field(0).Metadata.Len() != 0 {
		t.Errorf("the private column keeps metadata %v", got.Field(0).Metadata)
	}
}

// Kernel copies between files give the bytes that plain copies give.
func TestArrowRewriteOnDisk(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 60000, 20, nullPatterns[5].null)
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	file := writeArrow(t, 25000, []arrow.DataType{dt}, []cells{c}, 5)
	path := filepath.Join(t.TempDir(), "in.arrow")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	local, err := table.OpenLocal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	for _, r := range []table.Request{{Private: []string{"a"}}, {Private: []string{"a"}, Drop: []string{"n3"}}} {
		to := []*table.Alphabet{shifted(c.typ, 7, false)}
		f, err := open(local, r)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := f.Scan(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		in[0] = in[0].Without()
		out, err := os.Create(filepath.Join(t.TempDir(), "out.arrow"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Rewrite(context.Background(), diskOutput{out}, in, to, draw(to)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, rewrite(t, file, r, true, to...)) {
			t.Errorf("dropping %v: other bytes on disk than in memory", r.Drop)
		}
		out.Close()
	}
}

// diskOutput is an Output on disk.
type diskOutput struct{ *os.File }

func (d diskOutput) Fd() (uintptr, bool) { return d.File.Fd(), true }

func TestArrowRewriteErrors(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 30000, 20, nil)
	file := writeArrow(t, 1000, []arrow.DataType{arrow.BinaryTypes.String}, []cells{c}, 1)
	open := func() (table.File, []*table.Alphabet) {
		f, err := open(inMemory(file), table.Request{Private: []string{"a"}, Threads: 3})
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
	to := []*table.Alphabet{shifted(c.typ, 5, false)}
	bad := errors.New("bad")
	for range 20 {
		err := f.Rewrite(context.Background(), &memoryOutput{}, in, to, func(b table.Batch) error {
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
		err := f.Rewrite(context.Background(), &memoryOutput{}, in, to,
			func(b table.Batch) error { b.Letters[0][0] = l; return nil })
		if err == nil {
			t.Errorf("letter %d is written", l)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := f.Rewrite(ctx, &memoryOutput{}, in, to, func(b table.Batch) error { cancel(); return draw(to)(b) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
	in[0] = table.NewAlphabet(in[0].Type(), in[0].Values()[1:], false)
	if err := f.Rewrite(context.Background(), &memoryOutput{}, in, to, draw(to)); !errors.Is(err, table.ErrUnseen) {
		t.Errorf("error %v for an unseen value", err)
	}
}
