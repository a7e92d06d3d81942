package neighbours

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	alloc "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// Nested cells are the same leaves in Parquet and Arrow, and so are what is cut out of them.
func TestNested(t *testing.T) {
	text := arrow.BinaryTypes.String
	schema := arrow.NewSchema([]arrow.Field{{Name: "list", Type: arrow.ListOf(text), Nullable: true},
		{Name: "struct", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
			arrow.Field{Name: "b", Type: arrow.ListOf(text), Nullable: true}), Nullable: true},
		{Name: "map", Type: arrow.MapOf(text, text), Nullable: true}}, nil)
	r, _, err := array.RecordFromJSON(alloc.DefaultAllocator, schema, strings.NewReader(`[
		{"list": ["x", "y"], "struct": {"a": 1, "b": ["p", "q", "r"]}, "map": [{"key": "k", "value": "v"}]},
		{"list": [], "struct": {"a": null, "b": null}, "map": []}, {"list": null, "struct": null, "map": null},
		{"list": ["z"], "struct": {"a": -7, "b": [""]}, "map": [{"key": "k", "value": "v"}, {"key": "l", "value": null}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	var files [2]bytes.Buffer
	p, err := pqarrow.NewFileWriter(schema, &files[0], nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(r); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := ipc.NewFileWriter(&files[1], ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Write(r); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"list": {"\x1ex\x1ey", "", "", "\x1ez"},
		"struct": {"\x1e1\x1f\x1ep\x1eq\x1er", "\x1f", "\x1f", "\x1e-7\x1f\x1e"},
		"map":    {"\x1ek\x1f\x1ev", "\x1f", "\x1f", "\x1ek\x1el\x1f\x1ev"}}
	for i := range files {
		f, err := count.OpenFile(memory{bytes.NewReader(files[i].Bytes())}, table.Request{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Columns() {
			one, err := f.(table.Columnar).Choose(table.Request{Beside: []string{c.Name}, Nested: true})
			if err != nil || c.Readable || c.Leaves == 0 {
				t.Fatal(c, err)
			}
			var got []string
			err = one.Read(context.Background(), 0, nil, func(b table.Batch) error {
				for k := range b.Beside[0].Code {
					cell := ""
					if v := &b.Beside[0]; !v.Null(k) {
						cell = string(v.Bytes(k))
					} else {
						cell = strings.Repeat("\x1f", c.Leaves-1)
					}
					got = append(got, cell)
				}
				return nil
			})
			if err != nil || !slices.Equal(got, want[c.Name]) {
				t.Errorf("%s, %s: %q, %v", f.Format(), c.Name, got, err)
			}
		}
	}
	cell := []byte(want["struct"][0])
	for k, w := range []string{"1  p q r", "1", "1", "1", "p", "r", "3"} {
		if got := views([]table.Column{{Leaves: 2}})[k].cut(cell); string(got) != w {
			t.Errorf("view %d: %q, want %q", k, got, w)
		}
	}
}
