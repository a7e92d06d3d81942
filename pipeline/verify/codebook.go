package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// bookFile is for who uses the output, in the public folder of a release.
const bookFile = "codebook.json"

// bookFormat is its format.
const bookFormat = "tacet.codebook/v1"

// checkGuides holds codebook.json in a folder to the public reports, one for each private
// column: figures and promises. What else it says in words is compared with what this
// version writes, as the views are. A file that is not there is named by the check of the
// statement.
func checkGuides(v *document.View, folder string, public []*document.Report) error {
	path := filepath.Join(folder, bookFile)
	data, err := document.Read(path, "--report")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	book, err := document.ReadTree(data, path, bookFormat)
	if err != nil {
		return err
	}
	var w document.Faults
	expectBook(&w, book, public)
	v.Settle("codebook", w, "codebook.json says what the public report says of each private column")
	return nil
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
