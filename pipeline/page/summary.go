package page

import (
	"io"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Summary writes what a run prints: the promise, what was reached, and the
// warnings.
func Summary(w io.Writer, r *report.Report) error {
	var lines []report.Sentence
	if r.Stamp != "" {
		lines = append(lines, report.Sentence{Head: "stamp", Body: r.Stamp})
	}
	lines = append(lines, lead(r.Claims)...)
	lines = append(lines,
		field("changed", "%d of %d records; %s, %s per record", r.Records-r.Utility.Unchanged, r.Records,
			count(len(r.Outputs), "output"), span(r.Floor.Least, r.Floor.Most)))
	for _, warning := range r.Warnings {
		lines = append(lines, report.Sentence{Head: "warning", Body: warning})
	}
	return report.Lead(w, lines)
}
