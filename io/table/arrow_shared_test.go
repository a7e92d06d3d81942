package table_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/tacet-privacy/tacet/io/arrow/batch"
	arrowsplice "github.com/tacet-privacy/tacet/io/arrow/splice"
	"github.com/tacet-privacy/tacet/io/table"
)

// A kept column that shares the private one's dictionary keeps it as it is; the
// private one gets another.
func TestArrowSharedDictionary(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	c := makeCells(table.Type{Kind: table.Text}, 500, 20, nullPatterns[3].null)
	for _, codec := range arrowCodecs {
		apart := writeArrow(t, 200, []arrow.DataType{dt, dt, dt}, []cells{c, c, c}, 3, codec.option...)
		file := again(t, apart, nil, func(s *batch.Schema) {
			var id *int64
			for i := range s.Fields {
				if d := s.Fields[i].Dict; d != nil && id == nil {
					id = &d.ID
				} else if d != nil {
					d.ID = *id
				}
			}
		})
		raw, err := batch.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil || len(raw.Dicts) != 1 {
			t.Fatalf("%d dictionaries, error %v; want one that is shared", len(raw.Dicts), err)
		}
		checkFile(t, file, []string{"a", "b", "c"}, c, c, c)
		for _, private := range [][]string{{"a"}, {"b"}, {"c"}, {"a", "c"}, {"c", "b"}, {"a", "b", "c"}} {
			var to []*table.Alphabet
			want := map[string]cells{"a": c, "b": c, "c": c}
			for i, name := range private {
				to = append(to, shifted(c.typ, 5+3*i, true))
				want[name] = expected(c, to[i], false)
			}
			after := rewrite(t, file, table.Request{Private: private}, false, to...)
			checkFile(t, after, []string{"a", "b", "c"}, want["a"], want["b"], want["c"])
			readRecords(t, after)
			var part []cells
			for _, name := range private {
				part = append(part, want[name])
			}
			checkRewritten(t, file, after, nil, private, part...)
		}
	}
}

// again writes a file anew with another schema, and without the dictionaries
// that it no longer names.
func again(t *testing.T, file []byte, footer []batch.KeyValue, change func(*batch.Schema)) []byte {
	t.Helper()
	raw, err := batch.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	list := messages(t, raw)
	change(raw.Schema)
	named := map[int64]bool{}
	for i := range raw.Schema.Fields {
		raw.Schema.Fields[i].Dictionaries(func(id int64, _ *batch.Field) { named[id] = true })
	}
	out := &memoryOutput{}
	raw.Batches = nil // without any, the writer aligns to 64 bytes: gaps with room for tokens
	w, err := arrowsplice.NewWriter(out, raw, raw.Schema)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range list {
		place := w.Batch
		if i < len(raw.Dicts) {
			d := raw.Dicts[i]
			if !named[d.ID] {
				continue
			}
			place = func(b *arrowsplice.Batch) *arrowsplice.Placed { return w.Dictionary(d.ID, d.Delta, b) }
		}
		if err := place(arrowsplice.Keep(b)).Write(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if out.size, err = w.Finish(footer); err != nil {
		t.Fatal(err)
	}
	return out.file(t)
}
