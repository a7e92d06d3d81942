package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A private column keeps an extension type without parameters where all
// outputs are values of it. Of others the name may say anything.
func TestArrowPrivateExtension(t *testing.T) {
	text := func(value ...string) []table.Value {
		var v []table.Value
		for _, s := range value {
			v = append(v, table.Value{Bytes: s})
		}
		return v
	}
	for name, c := range map[string]struct {
		typ      table.Type
		dt       arrow.DataType
		name     string
		in, out  []table.Value
		wantName bool
	}{
		"json": {table.Type{Kind: table.Text}, arrow.BinaryTypes.String, "arrow.json", text(`{}`, `[1]`),
			text(`[1]`, `{}`), true},
		"json, and not": {table.Type{Kind: table.Text}, arrow.BinaryTypes.String, "arrow.json", text(`{}`, `[1]`),
			text(`[1]`, `other`), false},
		"bool8": {table.Type{Kind: table.Integer, Bits: 8}, arrow.PrimitiveTypes.Int8, "arrow.bool8",
			[]table.Value{{Int: 0}, {Int: 1}}, []table.Value{{Int: 0}, {Int: 1}}, true},
		"one with a secret": {table.Type{Kind: table.Text}, arrow.BinaryTypes.String, "secret", text("a", "b"),
			text("a", "b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			about := map[bool]string{true: "a secret"}[c.name == "secret"]
			said := arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata", "_PL_ENUM_VALUES2"},
				[]string{c.name, about, "6;secret"})
			schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: c.dt, Metadata: said}}, nil)
			file := writeRecords(t, schema,
				[]arrow.RecordBatch{array.NewRecordBatch(schema,
					[]arrow.Array{arrowArray(t, c.dt, cells{typ: c.typ, value: c.in}, 0, 2)}, 2)})
			after := rewrite(t, file, table.Request{Private: []string{"a"}}, false,
				table.NewAlphabet(c.typ, c.out, false))
			got, _ := readRecords(t, after)
			f := got.Field(0)
			var kept string
			if e, ok := f.Type.(arrow.ExtensionType); ok {
				kept = e.ExtensionName()
			} else if at := f.Metadata.FindKey("ARROW:extension:name"); at >= 0 {
				kept = f.Metadata.Values()[at]
			}
			if (kept == c.name) != c.wantName || kept != "" && !c.wantName {
				t.Errorf("the column is a %q, %v", kept, f)
			}
			for i, v := range f.Metadata.Values() {
				if f.Metadata.Keys()[i] != "ARROW:extension:name" && v != "" {
					t.Errorf("metadata of the private column stays: %v", f.Metadata)
				}
			}
		})
	}
}
