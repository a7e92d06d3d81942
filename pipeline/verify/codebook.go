package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// Names of the files for who uses the output, in the public folder of a release.
const (
	bookFile    = "codebook.json"
	packageFile = "datapackage.json"
)

// Formats of these files.
const (
	bookFormat    = "tacet.codebook/v1"
	packageFormat = "https://datapackage.org/profiles/2.0/datapackage.json"
)

// A dataPackage is datapackage.json, as its specification and docs/codebook.md have it.
type dataPackage struct {
	Profile      string `json:"$schema"`
	Name         string `json:"name"`
	Title        string `json:"title,omitempty"`
	Contributors []struct {
		Title string `json:"title"`
	} `json:"contributors,omitempty"`
	Resources []resource `json:"resources"`
}

// A resource is the published file.
type resource struct {
	Name      string `json:"name"`
	Path      string `json:"path"`
	Type      string `json:"type"`
	Format    string `json:"format"`
	MediaType string `json:"mediatype"`
	Bytes     int64  `json:"bytes"`
	Hash      string `json:"hash,omitempty"`
	Encoding  string `json:"encoding,omitempty"`
	Dialect   *struct {
		Delimiter string `json:"delimiter"`
		Header    bool   `json:"header"`
	} `json:"dialect,omitempty"`
	Schema struct {
		Fields []struct {
			Name        string `json:"name"`
			Type        string `json:"type"`
			Description string `json:"description,omitempty"`
			Private     bool   `json:"tacet:privatized,omitempty"`
		} `json:"fields"`
	} `json:"schema"`
}

// checkGuides holds codebook.json and datapackage.json in a folder to the public reports,
// one for each private column: figures and promises. What else they say in words is
// compared with what this version writes, as the views are. A file that is not there is
// named by the check of the statement.
func checkGuides(v *document.View, folder string, public []*document.Report) error {
	var w document.Faults
	if data, there, err := readGuide(folder, bookFile); err != nil {
		return err
	} else if there {
		book, err := document.ReadTree(data, filepath.Join(folder, bookFile), bookFormat)
		if err != nil {
			return err
		}
		expectBook(&w, book, public)
		v.Settle("codebook", w, "codebook.json says what the public report says of each private column")
	}
	w = nil
	if data, there, err := readGuide(folder, packageFile); err != nil {
		return err
	} else if there {
		expectPackage(&w, data, public[0])
		v.Settle("data package", w, "datapackage.json has name, size, hash and columns of the published file")
	}
	return nil
}

// readGuide reads a file for who uses the output, where there is one.
func readGuide(folder, name string) (data []byte, there bool, err error) {
	data, err = document.Read(filepath.Join(folder, name), "--report")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func alike(of document.Node) document.Rule { return document.Same(of.Value()) }

// expectBook wants the codebook of these reports.
func expectBook(w *document.Faults, book document.Node, public []*document.Report) {
	var columns []document.Figures
	for i, p := range public {
		open := "mechanism.json"
		if len(public) > 1 {
			open = fmt.Sprintf("../%d/public/%s", i+1, open)
		}
		done := []document.Figures{}
		limit, promise := "", document.Filled
		for _, c := range p.List("claims") {
			words := c.Text("words")
			if c.Text("section") == "lead" {
				done = append(done, document.Figures{"key": c.Text("key"), "words": words})
			}
			if c.Text("key") == "shift" {
				promise = document.Rule(func(n document.Node) bool { return strings.Contains(n.Text(""), words) })
				if c.Text("standing") == "promised" {
					limit = c.Text("asked")
				}
			}
		}
		kind := ""
		for _, c := range p.List("columns") {
			if c.Text("name") == p.Text("column") {
				kind = c.Text("type")
			}
		}
		columns = append(columns, document.Figures{"column": p.Text("column"), "type": kind, "given?": p.Text("given"),
			"null": p.Text("domain.null"), "order": alike(p.At("order")), "target": p.Text("target"),
			"target_factor": alike(p.At("target_factor")), "floor": alike(p.At("floor")), "done": done,
			"shares":    document.Figures{"limit?": limit, "words": promise, "tables": document.Filled},
			"mechanism": document.Figures{"file": open, "words": document.Filled},
			"formulas":  document.Rule(func(n document.Node) bool { return len(n.List("")) > 0 }),
			"programs":  document.Rule(document.Node.IsList)})
	}
	first := public[0]
	document.Diff(w, "codebook", book, document.Figures{"schema": bookFormat, "version": first.Text("version"),
		"stamp?": first.Text("stamp"), "file": alike(first.At("output")), "columns": columns,
		"cite": document.Rule(func(n document.Node) bool {
			return strings.Contains(n.Text(""), first.Text("output.sha256"))
		})})
}

// expectPackage wants the published file as a data package.
func expectPackage(w *document.Faults, data []byte, p *document.Report) {
	var is dataPackage
	if json.Unmarshal(data, &is) != nil || len(is.Resources) != 1 {
		w.Addf("it describes no file, or several")
		return
	}
	written, err := json.MarshalIndent(is, "", "  ")
	w.Match(err == nil && bytes.Equal(append(written, '\n'), data), "the members of the data package, of which one")
	r := is.Resources[0]
	hash := p.Text("output.sha256")
	if hash != "" {
		hash = "sha256:" + hash
	}
	w.Match(is.Profile == packageFormat && is.Name != "" && r.Name != "" && r.Type == "table" && r.MediaType != "",
		"the kind of the data package, which")
	w.Match(r.Path == p.Text("output.name") && r.Format == p.Text("output.format") && r.Bytes == p.Int("output.bytes") &&
		r.Hash == hash, "the file of the data package, which")
	comma, header := "", false
	if r.Dialect != nil {
		comma, header = r.Dialect.Delimiter, r.Dialect.Header
	}
	w.Match(comma == p.Text("output.dialect.delimiter") && header == p.Bool("output.dialect.header") &&
		(r.Encoding == "utf-8") == (r.Dialect != nil), "the dialect of the data package, which")
	columns := p.List("columns")
	same := len(columns) == len(r.Schema.Fields)
	for i, f := range r.Schema.Fields {
		same = same && f.Name == columns[i].Text("name") && f.Type != "" &&
			f.Private == (columns[i].Text("fate") == "privatized")
	}
	w.Match(same, "the columns of the data package, which")
}
