package report_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestPackage holds datapackage.json to what its specification requires: resources, each
// with a name of its letters and a path that leads out of no folder, and fields with a
// name and a type of Table Schema.
func TestPackage(t *testing.T) {
	types := map[string]string{"string": "string", "int64": "integer", "uint8": "integer", "float64": "number",
		"double": "number", "decimal128(9, 2)": "number", "bool": "boolean", "boolean": "boolean", "date32": "date",
		"timestamp[us, UTC]": "datetime", "time32[ms]": "time", "interval": "any", "list<int64>": "any",
		"dictionary<int8, utf8>": "string", "dictionary<int16, timestamp[s, Europe/Oslo]>": "datetime"}
	for file, name := range map[string]string{"out.parquet": "out.parquet", "Ä 1/.arrow": "1-.arrow", "???": "data"} {
		p := &report.Public{Output: report.PublicFile{Name: file, Format: "parquet", SHA256: "ab", Bytes: 7}}
		for of := range types {
			p.Columns = append(p.Columns, report.Column{Name: of, Type: of, Fate: "published in clear"})
		}
		p.Columns[3].Fate = "privatized"
		data, err := report.PackageOf([]*report.Public{p}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		var is struct {
			Resources []struct {
				Name, Path, Hash string
				Bytes            int64
				Schema           struct{ Fields []map[string]any }
			}
		}
		if err := json.Unmarshal(data, &is); err != nil || len(is.Resources) != 1 {
			t.Fatalf("%v: %s", err, data)
		}
		r := is.Resources[0]
		if r.Name != name || !regexp.MustCompile(`^[a-z0-9._-]+$`).MatchString(r.Name) || r.Path != file ||
			r.Hash != "sha256:ab" || r.Bytes != 7 || len(r.Schema.Fields) != len(types) {
			t.Errorf("%q: %+v", file, r)
		}
		for i, f := range r.Schema.Fields {
			private, marked := f["tacet:privatized"].(bool)
			if f["name"] != p.Columns[i].Name || f["type"] != types[p.Columns[i].Type] || marked != (i == 3) ||
				private != marked {
				t.Errorf("%v, want %s", f, types[p.Columns[i].Type])
			}
		}
	}
}
