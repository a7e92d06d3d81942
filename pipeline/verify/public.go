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
func checkPublic(ctx context.Context, v *document.View, q document.Request, data []byte) error {
	p := &document.Public{}
	if err := document.Decode(data, q.Report, p); err != nil {
		return err
	}
	q.Input = ""
	files, err := document.Open(q, p.Column)
	if err != nil {
		return err
	}
	defer files.Close()
	sum, err := files.Out.Sum(ctx)
	if err != nil {
		return err
	}
	if p.Output.SHA256 == "" {
		v.Skip("output hash", "the report holds no hash")
	} else {
		v.Add("output hash", sum == p.Output.SHA256, "%s", document.Either(sum == p.Output.SHA256,
			"the file is, byte for byte, the one that the report is about",
			"the file is another than the one that the report is about"))
	}
	var w document.Faults
	w.Match(p.Output.Rows == files.Out.Rows() && p.Rows == p.Output.Rows, "the number of rows")
	w.Match(p.Output.Bytes == files.Out.Size, "the number of bytes")
	w.Match(p.Output.Format == files.Out.Format(), "the format")
	v.Settle("output file", w, "%d rows, %d bytes, %s", files.Out.Rows(), files.Out.Size, files.Out.Format())

	w = nil
	var left, private []string
	for _, c := range p.Columns {
		if left = append(left, c.Name); c.Fate == "privatized" {
			private = append(private, c.Name)
		} else if c.Fate != "published in clear" {
			w.Addf("a column is neither privatized nor published in clear")
		}
	}
	w.Match(slices.Contains(private, p.Column), "the private column") // of several each has a report
	if !slices.Equal(files.Out.Columns(), left) {
		w.Addf("the output has other columns than the report says")
	}
	v.Settle("columns", w, "%d privatized, %d published in clear", len(private), len(left)-len(private))
	w = nil
	mechanism.CheckGrid(&w, p.Target, p.Factor, p.Grid)
	v.Settle("caps", w, "e^epsilon, and min(1, e^epsilon p) of %d shares", len(p.Grid))
	w = nil
	mechanism.CheckPublicClaims(&w, p)
	mechanism.CheckPublicShelves(&w, p)
	v.Settle("claims", w, "%d sentences, all of them for everybody; the promise has the epsilon asked for", len(p.Claims))
	v.Add("report", p.Stamp == "" || p.Stamp == "NOT A PRIVATE RELEASE", "%s", document.Either(p.Stamp == "",
		"public; not stamped", "public; stamped "+p.Stamp))
	v.Skip("all else", "a public report holds no plan: counts, floor, factors and fit need the internal one")
	return nil
}

// checkPublicBeside holds the public report beside an internal one to it.
func checkPublicBeside(v *document.View, report string) error {
	path := filepath.Join(filepath.Dir(report), "public", "report.json")
	data, err := document.Read(path, "--report")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the statement names it as not there
	case err != nil:
		return err
	}
	p := &document.Public{}
	if err := document.Decode(data, path, p); err != nil {
		return err
	}
	mechanism.CheckPublicReport(v, p)
	return nil
}
