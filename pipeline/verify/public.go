package verify

import (
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/figures"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// checkPublic makes the checks that a public report allows.
func checkPublic(ctx context.Context, v *subject.View, q document.Request, data []byte) error {
	p := &document.Public{}
	if err := document.Decode(data, q.Report, p); err != nil {
		return err
	}
	q.Input = ""
	files, err := pair.Open(q, p.Column)
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
		v.Add("output hash", sum == p.Output.SHA256, "%s", verdict.Either(sum == p.Output.SHA256,
			"the file is, byte for byte, the one that the report is about", "the file is another than the one that the report is about"))
	}
	var w verdict.Faults
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
	w.Match(slices.Equal(private, []string{p.Column}), "the private column")
	if !slices.Equal(files.Out.Columns(), left) {
		w.Addf("the output has other columns than the report says")
	}
	v.Settle("columns", w, "%d privatized, %d published in clear", len(private), len(left)-len(private))
	w = nil
	figures.CheckGrid(&w, p.Target, p.Factor, p.Grid)
	v.Settle("caps", w, "e^epsilon, and min(1, e^epsilon p) of %d shares", len(p.Grid))
	v.Add("report", p.Stamp == "" || p.Stamp == "NOT A PRIVATE RELEASE", "%s", verdict.Either(p.Stamp == "", "public; not stamped", "public; stamped "+p.Stamp))
	v.Skip("all else", "a public report holds no plan: counts, floor, factors and fit need the internal one")
	return nil
}
