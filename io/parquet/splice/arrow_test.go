package splice

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// arrowLayout is a file of these columns, the first of which is written anew.
func arrowLayout(field []arrow.Field) *Layout {
	f := &meta.Footer{}
	l := &Layout{footer: f, changes: Changes{Fresh: []Fresh{{}}}}
	for i := range field {
		f.Columns = append(f.Columns, meta.Column{Name: field[i].Name, Leaf: i, Flat: i == 0})
		l.changes.Role = append(l.changes.Role, min(i, 1)*table.Kept)
	}
	return l
}

// encoded is a schema as Arrow's library writes it.
func encoded(t *testing.T, schema *arrow.Schema) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(schema)).Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(base64.StdEncoding.EncodeToString(b.Bytes()))
}

// decoded is a schema as Arrow's library reads it.
func decoded(t *testing.T, out string) *arrow.Schema {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(out)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return r.Schema()
}

// Of a private column of Polars' Enum, which is a dictionary with its values
// in metadata, the type stays and no value, below it neither.
func TestArrowSchemaOfPrivateEnum(t *testing.T) {
	values := arrow.NewMetadata([]string{"_PL_ENUM_VALUES2"}, []string{"6;secret"})
	field := []arrow.Field{{Name: "x", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32,
		ValueType: arrow.BinaryTypes.StringView}, Metadata: values}, {Name: "k", Type: arrow.PrimitiveTypes.Int64}}
	out, ok := arrowLayout(field).arrowSchema(encoded(t, arrow.NewSchema(field, &values)))
	raw, err := base64.StdEncoding.DecodeString(out)
	if !ok || err != nil || bytes.Contains(raw, []byte("secret")) || bytes.Contains(raw, []byte("_PL_ENUM")) {
		t.Errorf("a value is in the schema, or there is none: %v, %v", ok, err)
	}
	if x := decoded(t, out).Field(0); !arrow.TypeEqual(x.Type, field[0].Type) {
		t.Errorf("the type became %s", x.Type)
	}
	field[0].Type = arrow.StructOf(arrow.Field{Name: "secret", Type: arrow.BinaryTypes.String})
	if _, ok := arrowLayout(field).arrowSchema(encoded(t, arrow.NewSchema(field, nil))); ok {
		t.Error("a private column with columns below it is not refused")
	}
}
