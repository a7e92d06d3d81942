package verify

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
)

// checkPublic makes the checks that a public report allows.
func checkPublic(ctx context.Context, v *document.View, q document.Request) error {
	q.Input = ""
	p := v.Report
	files, err := document.Open(q, &document.Plan{Column: p.Text("column")})
	if err != nil {
		return err
	}
	defer files.Close()
	if err := mechanism.CheckHash(ctx, v, "output", files.Out); err != nil {
		return err
	}
	var w document.Faults
	mechanism.ExpectFile(v, &w, "output", files.Out)
	v.Expect(&w, document.Figures{"rows": files.Out.Rows()})
	v.Settle("output file", w, "%d rows, %d bytes, %s", files.Out.Rows(), files.Out.Size, files.Out.Format())
	w = nil
	var left []document.Figures
	private := p.Fate("privatized")
	for _, name := range files.Out.Columns() {
		fate := document.Either(slices.Contains(private, name), "privatized", "published in clear")
		left = append(left, document.Figures{"name": name, "type": document.Text, "fate": fate})
	}
	v.Expect(&w, document.Figures{"columns": left})
	w.Match(slices.Contains(private, p.Text("column")), "the private column") // of several each has a report
	v.Seen("column")
	v.Settle("columns", w, "%d privatized, %d published in clear", len(private), len(left)-len(private))
	w = nil
	mechanism.ExpectGrid(v, &w, p.Text("target"))
	v.Seen("target")
	v.Settle("caps", w, "e^epsilon, and min(1, e^epsilon p) of %d shares", len(p.List("grid")))
	w = nil
	checkPublicClaims(v, &w)
	expectDraws(v, &w)
	v.Settle("claims", w, "%d sentences, all of them for everybody; the promise has the epsilon asked for",
		len(p.List("claims")))
	w = nil
	expectStamp(v, &w)
	v.Settle("report", w, "%s", document.Either(p.Has("stamp"), "public; stamped "+p.Text("stamp"), "public; not stamped"))
	v.Seen("schema")
	checkMembers(v, beyondPublic)
	if err := checkGuides(v, filepath.Dir(q.Report), []*document.Report{p}); err != nil {
		return err
	}
	v.Skip("all else", "a public report holds no plan: counts, floor, factors and fit need the internal one")
	return nil
}

// checkPublicBeside holds the public files beside an internal report to it, and the files
// for who uses the output to the public report.
func checkPublicBeside(v *document.View, report string) error {
	if err := checkOpen(v, report); err != nil {
		return err
	}
	p, err := publicBeside(report)
	if err != nil || p == nil {
		return err
	}
	checkPublicReport(v, p)
	return checkGuides(v, filepath.Join(filepath.Dir(report), publicFolder), []*document.Report{p})
}

// publicBeside is the public report beside an internal one, nil where there is none: the
// statement names it as not there.
func publicBeside(report string) (*document.Report, error) {
	path := filepath.Join(filepath.Dir(report), publicFolder, "report.json")
	data, err := document.Read(path, "--report")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return document.ReadReport(data, path)
}
