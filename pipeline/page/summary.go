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
	lines = append(lines, claimed(r.Claims, "lead")...)
	if words := wordsOf(r.Claims, "changed"); words != "" {
		lines = append(lines, report.Sentence{Head: "changed", Body: words})
	}
	for _, warning := range r.Warnings {
		lines = append(lines, report.Sentence{Head: "warning", Body: warning})
	}
	return report.Lead(w, lines)
}
