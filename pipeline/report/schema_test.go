package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	generate "github.com/invopop/jsonschema"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// schemas are the formats that are shipped, by file in docs/schema.
var schemas = []struct {
	file, id, name, title string
	of                    any
}{
	{"report-v3.json", "https://github.com/tacet-privacy/tacet/docs/schema/report-v3.json", report.Schema,
		"The internal leakage report of one run", &report.Report{}},
	{"public-report-v2.json", "https://github.com/tacet-privacy/tacet/docs/schema/public-report-v2.json",
		report.PublicSchema, "What may be published of a run", &report.Public{}},
	{"joint-v2.json", "https://github.com/tacet-privacy/tacet/docs/schema/joint-v2.json", report.JointSchema,
		"What the private columns of one run tell together", &report.JointFile{}},
}

// schemaOf makes the schema of a type. Descriptions are the comments of the
// fields.
func schemaOf(t *testing.T, id, name, title string, of any) []byte {
	t.Helper()
	r := &generate.Reflector{ExpandedStruct: true, Mapper: func(v reflect.Type) *generate.Schema {
		if v == reflect.TypeFor[report.Label]() {
			return &generate.Schema{Description: "a letter; null is null", OneOf: []*generate.Schema{{Type: "string"},
				{Type: "null"}}}
		}
		return nil
	}}
	if err := r.AddGoComments("github.com/tacet-privacy/tacet/pipeline/report", "./",
		generate.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(of)
	s.ID, s.Title = generate.ID(id), title
	version, _ := s.Properties.Get("schema")
	version.Const = name
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	// A comment of several lines is one sentence.
	return append(bytes.ReplaceAll(data, []byte(`\n`), []byte(" ")), '\n')
}

// TestSchemas holds the schemas that are shipped to the types; with
// TACET_UPDATE=1 it writes them.
func TestSchemas(t *testing.T) {
	for _, s := range schemas {
		path := "../../docs/schema/" + s.file
		want := schemaOf(t, s.id, s.name, s.title, s.of)
		if os.Getenv("TACET_UPDATE") == "1" {
			if err := os.WriteFile(path, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not that of the types; TACET_UPDATE=1 go test -run TestSchemas ./pipeline/report writes it", path)
		}
	}
}
