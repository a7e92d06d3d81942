package page

import "github.com/tacet-privacy/tacet/pipeline/report"

// useful is what the release keeps; page one has the picture of its shares.
func useful(r *report.Report) report.Section { return section("utility", r, sharesTable(r)...) }

// worst is the head of the worst utility in a table, and farthest elsewhere.
func worst(unit string) string { return yes(unit == "", "worst", "farthest") }

func farthest(unit string) string { return yes(unit == "", "worst", "farthest replacement") }
