package table_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tacet-privacy/tacet/io/table"
)

// A private column comes back as what its extension type is stored as, without metadata:
// these may say anything.
func TestArrowPrivateExtension(t *testing.T) {
	text, in := table.Type{Kind: table.Text}, []table.Value{{Bytes: `{}`}, {Bytes: `[1]`}}
	for _, name := range []string{"arrow.json", "secret"} {
		said := arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata", "_PL_ENUM_VALUES2"},
			[]string{name, map[bool]string{true: "a secret"}[name == "secret"], "6;secret"})
		schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Metadata: said}}, nil)
		values := arrowArray(t, arrow.BinaryTypes.String, cells{typ: text, value: in}, 0, 2)
		file := writeRecords(t, schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{values}, 2)})
		after := rewrite(t, file, table.Request{Private: []string{"a"}}, false, table.NewAlphabet(text, in, false))
		got, _ := readRecords(t, after)
		if f := got.Field(0); f.Type.ID() != arrow.STRING || f.Metadata.Len() > 0 {
			t.Errorf("%s: the column is %v", name, f)
		}
	}
}
