package splice

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// arrowLayout is a file of these columns, the first of which is written anew.
func arrowLayout(field []arrow.Field) *Layout {
	f := &meta.Footer{}
	l := &Layout{footer: f, changes: Changes{Fresh: []Fresh{{}}}}
	for i := range field {
		f.Columns = append(f.Columns, meta.Column{Name: field[i].Name, Leaf: i, Flat: i == 0})
		l.fresh = append(l.fresh, min(i, 1)*-1)
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

// Every type keeps its Arrow type and all that is said of it and below it
// beside the private column, of which nothing is said; and none makes the
// whole schema go.
func TestArrowSchemaKeepsTypes(t *testing.T) {
	json, err := extensions.NewJSONType(arrow.BinaryTypes.LargeString)
	if err != nil {
		t.Fatal(err)
	}
	note := arrow.NewMetadata([]string{"note", "_PL_ENUM_VALUES2"}, []string{"kept", "3;low4;high"})
	noted := arrow.Field{Name: "item", Type: arrow.BinaryTypes.LargeString, Nullable: true, Metadata: note}
	for _, c := range []arrow.DataType{
		arrow.BinaryTypes.LargeString,
		arrow.BinaryTypes.StringView,
		&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.Decimal256Type{Precision: 40, Scale: 3},
		arrow.FixedWidthTypes.MonthDayNanoInterval,
		arrow.FixedWidthTypes.Duration_ns,
		extensions.NewUUIDType(),
		extensions.NewBool8Type(),
		json,
		extensions.NewOpaqueType(arrow.BinaryTypes.LargeString, "name", "vendor"),
		extensions.NewOpaqueType(arrow.FixedSizeListOfField(3, noted), "name", "vendor"),
		arrow.ListOf(extensions.NewUUIDType()),
		arrow.StructOf(noted),
		arrow.ListOfField(noted),
		arrow.LargeListOfField(noted),
		arrow.ListViewOfField(noted),
		arrow.LargeListViewOfField(noted),
		arrow.FixedSizeListOfField(3, noted),
		arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String}, noted),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
		arrow.SparseUnionOf([]arrow.Field{noted, {Name: "n", Type: arrow.PrimitiveTypes.Int64}},
			[]arrow.UnionTypeCode{3, 5}),
	} {
		field := []arrow.Field{{Name: "x", Type: arrow.BinaryTypes.LargeString, Metadata: note},
			{Name: "beside", Type: c, Nullable: true, Metadata: note}}
		in := arrow.NewSchema(field, &note)
		out, ok := arrowLayout(field).arrowSchema(encoded(t, in))
		if !ok {
			t.Errorf("%s: the schema is gone", c)
			continue
		}
		schema, want := decoded(t, out), decoded(t, string(encoded(t, in)))
		if f := schema.Field(1); !f.Equal(want.Field(1)) || f.Metadata.FindKey("note") < 0 ||
			!arrow.TypeEqual(f.Type, want.Field(1).Type, arrow.CheckMetadata()) {
			t.Errorf("%s became %s", c, f)
		}
		if x := schema.Field(0); !arrow.TypeEqual(x.Type, field[0].Type) || x.HasMetadata() || schema.HasMetadata() {
			t.Errorf("beside %s: large_utf8 became %s", c, schema)
		}
	}
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

// A schema that is none is left out, however it is damaged.
func TestArrowSchemaDamaged(t *testing.T) {
	note := arrow.NewMetadata([]string{"note"}, []string{"secret"})
	field := []arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String},
		{Name: "beside", Type: arrow.ListOf(extensions.NewUUIDType()), Metadata: note}}
	whole, err := base64.StdEncoding.DecodeString(string(encoded(t, arrow.NewSchema(field, &note))))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	gone := 0
	for range 20000 {
		raw := append([]byte(nil), whole...)
		for range 1 + rng.IntN(3) {
			raw[rng.IntN(len(raw))] = byte(rng.Uint32())
		}
		if _, ok := arrowLayout(field).arrowSchema([]byte(base64.StdEncoding.EncodeToString(raw))); !ok {
			gone++
		}
	}
	if gone < 1000 {
		t.Errorf("only %d of 20000 damaged schemas were left out", gone)
	}
}
