package page

import "github.com/tacet-privacy/tacet/pipeline/report"

// shownReleases is how many earlier releases the page lists.
const shownReleases = 14

// published is by which draws the rows of a release were published; nil where
// all were drawn by its mechanism.
func published(r *report.Report) *report.Published {
	if r.History.Series == nil || r.History.Series.Published.Earlier() == 0 {
		return nil
	}
	return r.History.Series.Published
}
