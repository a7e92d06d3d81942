package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	generate "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// schemas are the formats that are shipped, by file in docs/schema.
var schemas = []struct {
	file, id, name, title string
	of                    any
}{
	{"report-v2.json", "https://github.com/tacet-privacy/tacet/docs/schema/report-v2.json", report.Schema,
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

// TestSchemaAndReaderAgree: what the schema allows is read, what it forbids is
// not.
func TestSchemaAndReaderAgree(t *testing.T) {
	full := &report.Report{Schema: report.Schema, Claims: []claim.Claim{claim.Claim{Key: "leakage"}}, Column: "x",
		About: &report.About{Owner: "us"}, Outputs: []report.Output{{Label: report.NullLabel}},
		Caps: []report.Cap{{Label: report.Label{Text: "a"}}}, Grid: []report.GridCap{{}}, Declared: []report.Source{{}},
		Columns: []report.Column{{}}, Checks: []report.Check{{}},
		Warnings: []string{""}, Settings: []report.Setting{{}}, Nulls: &report.Nulls{}, Binding: &report.Binding{},
		Story: &report.Story{}, Analysts: &report.Analysts{},
		Floors: []report.FloorCost{{}}}
	for i, write := range []func(io.Writer) error{full.WriteJSON, full.Publish().WriteJSON} {
		s := schemas[i]
		schema := compiled(t, s.file, s.id)
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		whole := b.String()
		for name, c := range map[string]struct {
			data  string
			valid bool
		}{
			"whole":           {whole, true},
			"unknown member":  {strings.Replace(whole, `"column"`, `"colunm": "", "column"`, 1), false},
			"member missing":  {strings.Replace(whole, `"column": "x",`, "", 1), false},
			"another type":    {strings.Replace(whole, `"column": "x"`, `"column": 3`, 1), false},
			"another version": {strings.Replace(whole, s.name, "tacet.report/v9", 1), false},
			"unknown owner":   {strings.Replace(whole, `"owner"`, `"ownr"`, 1), false},
		} {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(c.data))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); (err == nil) != c.valid {
				t.Errorf("%s, %s: the schema says %v", s.file, name, err)
			}
			if _, _, err := report.Read([]byte(c.data)); (err == nil) != c.valid {
				t.Errorf("%s, %s: the reader says %v", s.file, name, err)
			}
		}
	}
}

func compiled(t *testing.T, file, id string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("../../docs/schema/" + file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
