package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

// A column of a stream in tests, batch by batch: "" is null.
type streamed struct {
	name string
	typ  arrow.DataType
	cell [][]string
}

// streamOf is what arrow-go writes of these columns.
func streamOf(t *testing.T, columns []streamed, options ...ipc.Option) []byte {
	t.Helper()
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true,
			Metadata: arrow.NewMetadata([]string{"unit"}, []string{c.name})})
	}
	about := arrow.NewMetadata([]string{"pandas", "secret"}, []string{"{}", "ORD"})
	schema := arrow.NewSchema(fields, &about)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append([]ipc.Option{ipc.WithSchema(schema)}, options...)...)
	for i := range columns[0].cell {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for at, c := range columns {
			for _, cell := range c.cell[i] {
				if cell == "" {
					b.Field(at).AppendNull()
				} else if err := b.Field(at).AppendValueFromString(cell); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cellsOf are the cells of a column of a stream as arrow-go reads it, batch by batch,
// and its schema.
func cellsOf(t *testing.T, stream []byte, column int) ([][]string, *arrow.Schema) {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var out [][]string
	for r.Next() {
		var one []string
		for i := range int(r.RecordBatch().NumRows()) {
			c := r.RecordBatch().Column(column)
			if c.IsNull(i) {
				one = append(one, "")
			} else {
				one = append(one, c.ValueStr(i))
			}
		}
		out = append(out, one)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return out, r.Schema()
}

// rewritten is the stream in which the column p has the next value of the alphabet.
func rewritten(t *testing.T, stream []byte, values []string, r table.Request) ([]byte, error) {
	t.Helper()
	s, err := OpenStream(bytes.NewReader(stream))
	if err != nil {
		return nil, err
	}
	r.Private = []string{"p"}
	if err := s.Choose(r); err != nil {
		return nil, err
	}
	in, err := table.ParseAlphabet(s.TypeOf(0), values, false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = s.Rewrite(t.Context(), &out, []*table.Alphabet{in}, []*table.Alphabet{in}, func(b table.Batch) error {
		for i, x := range b.Letters[0] {
			if x >= 0 {
				b.Letters[0][i] = (x + 1) % int32(len(values))
			}
		}
		return nil
	}, func() error { return nil })
	return out.Bytes(), err
}

// TestStream: of every type of a private column and with every way to write a stream,
// the private column is replaced, nulls stay, and the columns beside it are what they
// were, dictionaries that grow or are replaced included.
func TestStream(t *testing.T) {
	text := [][]string{{"b", "a", "", "c"}, {"c"}, {}, {"a", "a", "b"}}
	next := map[string]string{"": "", "a": "b", "b": "c", "c": "a", "1": "2", "2": "3", "3": "1"}
	number := [][]string{{"2", "1", "", "3"}, {"3"}, {}, {"1", "1", "2"}}
	dict := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	for _, p := range []struct {
		typ    arrow.DataType
		cell   [][]string
		values []string
	}{
		{arrow.BinaryTypes.String, text, []string{"a", "b", "c"}},
		{arrow.BinaryTypes.LargeString, text, []string{"a", "b", "c"}},
		{arrow.BinaryTypes.StringView, text, []string{"a", "b", "c"}},
		{arrow.PrimitiveTypes.Int64, number, []string{"1", "2", "3"}},
		{arrow.PrimitiveTypes.Uint8, number, []string{"1", "2", "3"}},
		{dict(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), text, []string{"a", "b", "c"}},
		{dict(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32), number, []string{"1", "2", "3"}},
	} {
		for way, options := range map[string][]ipc.Option{
			"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}, "deltas": {ipc.WithDictionaryDeltas(true)},
		} {
			columns := []streamed{
				{"k", dict(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String), text},
				{"p", p.typ, p.cell},
				{"l", arrow.ListOf(arrow.PrimitiveTypes.Float64), [][]string{{"[1]", "", "[2,3]", "[]"}, {"[]"}, {},
					{"[4]", "[5]", ""}}},
			}
			stream := streamOf(t, columns, options...)
			out, err := rewritten(t, stream, p.values, table.Request{})
			if err != nil {
				t.Errorf("%s, %s: %v", p.typ, way, err)
				continue
			}
			for at := range columns {
				want, schema := cellsOf(t, stream, at)
				got, after := cellsOf(t, out, at)
				if at == 1 {
					for _, one := range want {
						for i := range one {
							one[i] = next[one[i]]
						}
					}
				} else if !after.Field(at).Equal(schema.Field(at)) {
					t.Errorf("%s, %s: field %s becomes %s", p.typ, way, schema.Field(at), after.Field(at))
				}
				if !slices.EqualFunc(got, want, slices.Equal[[]string]) || !arrow.TypeEqual(after.Field(at).Type, columns[at].typ) {
					t.Errorf("%s, %s: column %d is %v, want %v", p.typ, way, at, got, want)
				}
				if after.Metadata().Len() > 0 || after.Field(1).HasMetadata() {
					t.Errorf("%s, %s: metadata is kept that nobody asked for", p.typ, way)
				}
			}
		}
	}
}

// TestStreamChosen: dropped columns are gone, metadata that was asked for stays, and a
// stream without record batches is one.
func TestStreamChosen(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	for _, cell := range [][][]string{{{"a"}}, nil} {
		stream := streamOf(t, []streamed{{"k", dict, cell}, {"p", dict, cell}})
		out, err := rewritten(t, stream, []string{"a", "b"}, table.Request{Drop: []string{"k"}, Metadata: []string{"pandas"}})
		if err != nil {
			t.Fatal(err)
		}
		got, schema := cellsOf(t, out, 0)
		if schema.NumFields() != 1 || len(got) != len(cell) || schema.Metadata().Len() != 1 {
			t.Errorf("%d batches with the schema %s", len(got), schema)
		}
	}
}

// TestStreamBroken: where a stream ends early, holds another value or is damaged, the
// output ends within a message, and no message of it is of what went wrong.
func TestStreamBroken(t *testing.T) {
	stream := streamOf(t, []streamed{{"p", arrow.BinaryTypes.String, [][]string{{"a", "b"}, {"b"}, {"a", "x"}}},
		{"k", arrow.PrimitiveTypes.Int64, [][]string{{"1", "2"}, {"3"}, {"4", "5"}}}})
	whole, err := rewritten(t, stream, []string{"a", "b", "x"}, table.Request{})
	if err != nil {
		t.Fatal(err)
	}
	broken := func(name string, stream []byte, most int) {
		out, err := rewritten(t, stream, []string{"a", "b"}, table.Request{})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if len(out) == 0 {
			return // refused before the schema
		}
		r, err := ipc.NewReader(bytes.NewReader(out))
		if err != nil {
			t.Errorf("%s: the schema is torn: %v", name, err)
			return
		}
		n := 0
		for r.Next() {
			n++
		}
		if err := r.Err(); err == nil || errors.Is(err, io.EOF) || n > most {
			t.Errorf("%s: a reader takes %d batches for a stream, with the error %v", name, n, err)
		}
	}
	broken("another value", stream, 2)
	for n := range len(stream) {
		broken("cut short", stream[:n], 3)
	}
	if !bytes.HasSuffix(whole, []byte{255, 255, 255, 255, 0, 0, 0, 0}) {
		t.Error("a whole stream has no mark of its end")
	}
	for at := range stream { // whatever becomes of it, nothing panics and no memory is taken that is not there
		for _, with := range []byte{0, 1, 0x7f, 0xff} {
			damaged := slices.Clone(stream)
			damaged[at] = with
			rewritten(t, damaged, []string{"a", "b"}, table.Request{})
		}
	}
}

// TestStreamOfNearFloats: arrow-go takes a dictionary of nearly the same floats for the
// one before, and would not write it; so it is refused.
func TestStreamOfNearFloats(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Float64}
	schema := arrow.NewSchema([]arrow.Field{{Name: "p", Type: arrow.BinaryTypes.String}, {Name: "k", Type: dict}}, nil)
	var streams [2][]byte
	for i := range streams {
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(schema))
		for k := range 2 {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			b.Field(0).(*array.StringBuilder).Append("a")
			if err := b.Field(1).(*array.Float64DictionaryBuilder).Append(1 + float64(i*k)); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(b.NewRecordBatch()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		streams[i] = out.Bytes()
	}
	two := binary.LittleEndian.AppendUint64(nil, math.Float64bits(2))
	near := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1+1e-9))
	for _, stream := range [][]byte{streams[0], streams[1]} {
		if _, err := rewritten(t, stream, []string{"a"}, table.Request{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := rewritten(t, bytes.ReplaceAll(streams[1], two, near), []string{"a"}, table.Request{}); err == nil {
		t.Error("a dictionary of other floats is not written")
	}
}
