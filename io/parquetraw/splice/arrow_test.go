package splice

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/tacet-privacy/tacet/io/parquetraw"
)

// arrowLayout is a file of these columns, the first of which is written anew.
func arrowLayout(field []arrow.Field) *Layout {
	f := &parquetraw.Footer{}
	l := &Layout{footer: f, changes: Changes{Fresh: []Fresh{{}}}}
	for i := range field {
		f.Columns = append(f.Columns, parquetraw.Column{Name: field[i].Name, Leaf: i, Flat: i == 0})
		l.fresh = append(l.fresh, min(i, 1)*-1)
	}
	return l
}

// Every type that Parquet can hold keeps its Arrow type beside the private
// column, and none makes the whole schema go.
func TestArrowSchemaKeepsTypes(t *testing.T) {
	json, err := extensions.NewJSONType(arrow.BinaryTypes.LargeString)
	if err != nil {
		t.Fatal(err)
	}
	note := arrow.NewMetadata([]string{"note"}, []string{"secret"})
	noted := arrow.Field{Name: "item", Type: arrow.BinaryTypes.LargeString, Nullable: true, Metadata: note}
	bare := noted
	bare.Metadata = arrow.Metadata{}
	tensor := func(f arrow.Field) arrow.DataType { return arrow.FixedSizeListOfField(3, f) }
	for _, c := range []struct{ in, want arrow.DataType }{
		{arrow.BinaryTypes.LargeString, nil},
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"}, nil},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, nil},
		{extensions.NewUUIDType(), nil},
		{extensions.NewBool8Type(), nil},
		{json, nil},
		{extensions.NewOpaqueType(arrow.BinaryTypes.LargeString, "name", "vendor"), nil},
		{extensions.NewOpaqueType(tensor(noted), "name", "vendor"), extensions.NewOpaqueType(tensor(bare), "name", "vendor")},
		{arrow.ListOf(extensions.NewUUIDType()), nil},
		{arrow.StructOf(noted), arrow.StructOf(bare)},
		{arrow.ListOfField(noted), arrow.ListOfField(bare)},
		{arrow.LargeListOfField(noted), arrow.LargeListOfField(bare)},
		{arrow.ListViewOfField(noted), arrow.ListViewOfField(bare)},
		{arrow.LargeListViewOfField(noted), arrow.LargeListViewOfField(bare)},
		{tensor(noted), tensor(bare)},
		{arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String}, noted), arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String}, bare)},
	} {
		field := []arrow.Field{{Name: "x", Type: arrow.BinaryTypes.LargeString}, {Name: "beside", Type: c.in, Nullable: true, Metadata: note}}
		in, ok := formatArrowSchema(arrow.NewSchema(field, nil))
		if !ok {
			t.Fatalf("%s: no schema", c.in)
		}
		out, ok := arrowLayout(field).arrowSchema([]byte(in))
		if !ok {
			t.Errorf("%s: the schema is gone", c.in)
			continue
		}
		schema, err := parseArrowSchema([]byte(out))
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		if want == nil {
			want = c.in
		}
		f := schema.Field(1)
		if !arrow.TypeEqual(f.Type, want, arrow.CheckMetadata()) || f.HasMetadata() || !f.Nullable {
			t.Errorf("%s became %s", c.in, f)
		}
		if x := schema.Field(0); !arrow.TypeEqual(x.Type, field[0].Type) {
			t.Errorf("beside %s: large_utf8 became %s", c.in, x.Type)
		}
	}
}

// A schema that is none is left out, however it is damaged.
func TestArrowSchemaDamaged(t *testing.T) {
	note := arrow.NewMetadata([]string{"note"}, []string{"secret"})
	field := []arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String}, {Name: "beside", Type: arrow.ListOf(extensions.NewUUIDType()), Metadata: note}}
	in, _ := formatArrowSchema(arrow.NewSchema(field, &note))
	whole, err := base64.StdEncoding.DecodeString(in)
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
