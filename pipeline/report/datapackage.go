package report

import (
	"regexp"
	"slices"
	"strings"
)

// packageProfile is the version of Frictionless Data Package that is written.
const packageProfile = "https://datapackage.org/profiles/2.0/datapackage.json"

// A Package is datapackage.json: the published file as Frictionless Data Package, version
// 2, describes a table. It is put beside that file, to which its path leads.
type Package struct {
	Profile      string        `json:"$schema"`
	Name         string        `json:"name"`
	Title        string        `json:"title,omitempty"`
	Contributors []Contributor `json:"contributors,omitempty"`
	Resources    []Resource    `json:"resources"`
}

// A Contributor is who answers for the data.
type Contributor struct {
	Title string `json:"title"`
}

// A Resource is the published file.
type Resource struct {
	Name      string      `json:"name"`
	Path      string      `json:"path"`
	Type      string      `json:"type"`
	Format    string      `json:"format"`
	MediaType string      `json:"mediatype"`
	Bytes     int64       `json:"bytes"`
	Hash      string      `json:"hash,omitempty"`     // "sha256:" and hex
	Encoding  string      `json:"encoding,omitempty"` // of CSV, as the dialect
	Dialect   *Dialect    `json:"dialect,omitempty"`
	Schema    TableSchema `json:"schema"`
}

// A TableSchema has the columns of the file.
type TableSchema struct {
	Fields []TableField `json:"fields"`
}

// A TableField is a column. Custom members are allowed, and begin with the program.
type TableField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	Private     bool   `json:"tacet:privatized,omitempty"`
}

// mediaTypes are those of the formats, as registered.
var mediaTypes = map[string]string{"parquet": "application/vnd.apache.parquet",
	"arrow": "application/vnd.apache.arrow.file", "csv": "text/csv"}

// PackageOf describes the published file of these reports, one for each private column.
func PackageOf(all []*Public) *Package {
	p := all[0]
	name := slug(p.Output.Name)
	r := Resource{Name: name, Path: p.Output.Name, Type: "table", Format: p.Output.Format,
		MediaType: mediaTypes[p.Output.Format], Bytes: p.Output.Bytes, Schema: TableSchema{Fields: []TableField{}}}
	if d := p.Output.Dialect; d != nil {
		r.Encoding, r.Dialect = "utf-8", d
		if d.Delimiter == "\t" {
			r.MediaType = "text/tab-separated-values"
		}
	}
	if p.Output.SHA256 != "" {
		r.Hash = "sha256:" + p.Output.SHA256
	}
	for _, c := range p.Columns {
		f := TableField{Name: c.Name, Type: fieldType(c.Type), Private: c.Fate == "privatized"}
		if f.Private {
			f.Description = "Values were replaced at random: codebook.html says how to use this column."
		}
		r.Schema.Fields = append(r.Schema.Fields, f)
	}
	out := &Package{Profile: packageProfile, Name: name, Resources: []Resource{r}}
	if a := p.About; a != nil {
		out.Title = strings.TrimSpace(a.Release)
		if owner := strings.TrimSpace(a.Owner); owner != "" {
			out.Contributors = []Contributor{{Title: owner}}
		}
	}
	return out
}

// Encode is datapackage.json.
func (p *Package) Encode() ([]byte, error) { return encode(p, "data package") }

// noName is what a name of a package or a resource must not have.
var noName = regexp.MustCompile(`[^a-z0-9._-]+`)

// slug is a file's name as the name of a resource.
func slug(file string) string {
	if s := strings.Trim(noName.ReplaceAllString(strings.ToLower(file), "-"), "-"); s != "" {
		return s
	}
	return "data"
}

// fieldTypes are the types of Table Schema, by how the names of ours begin.
var fieldTypes = []struct {
	is     string
	begins []string
}{
	{"integer", []string{"int8", "int16", "int32", "int64", "uint"}},
	{"number", []string{"float", "double", "decimal", "half"}},
	{"boolean", []string{"bool"}},
	{"string", []string{"string", "large_string", "utf8", "large_utf8", "enum", "uuid"}},
	{"date", []string{"date"}},
	{"datetime", []string{"timestamp"}},
	{"time", []string{"time"}},
	{"duration", []string{"duration"}},
}

// fieldType is the type of Table Schema for one of ours, "any" where it has none.
func fieldType(of string) string {
	if in, ok := strings.CutPrefix(of, "dictionary<"); ok {
		_, in, _ = strings.Cut(in, ", ")
		of = strings.TrimSuffix(in, ">")
	}
	for _, t := range fieldTypes {
		if slices.ContainsFunc(t.begins, func(begin string) bool { return strings.HasPrefix(of, begin) }) {
			return t.is
		}
	}
	return "any"
}
