package page

import (
	"io"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// Summary writes what a run prints: the promise, what was reached, and the
// warnings.
func Summary(w io.Writer, r *report.Report) error {
	var lines []view.Sentence
	if r.Stamp != "" {
		lines = append(lines, view.Sentence{Head: "stamp", Body: r.Stamp})
	}
	lines = append(lines,
		view.Sentence{Head: "promised", Body: promisedBy(r)},
		view.Sentence{Head: "reached", Body: reached(r)})
	if r.Strata != nil {
		lines = append(lines, view.Sentence{Head: "strata", Body: strata(r).Brief})
	}
	if r.Population != nil {
		lines = append(lines, view.Sentence{Head: "sampled", Body: ofPopulation(r)})
	}
	lines = append(lines,
		field("changed", "%d of %d records; %s, %s per record", r.Records-r.Utility.Unchanged, r.Records, count(len(r.Outputs), "output"), span(r.Floor.Least, r.Floor.Most)))
	for _, warning := range r.Warnings {
		lines = append(lines, view.Sentence{Head: "warning", Body: warning})
	}
	return view.Lead(w, lines)
}
