package page

import "github.com/tacet-privacy/tacet/pipeline/report"

// useful is what the release keeps; page one has the picture of its shares.
func useful(r *report.Report) report.Section { return section("utility", r, sharesTable(r)...) }

// farthest is the head of the worst utility.
func farthest(unit string) string { return yes(unit == "", "worst", "farthest replacement") }
