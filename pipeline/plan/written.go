package plan

import "github.com/tacet-privacy/tacet/pipeline/report"

// Written is what was drawn and found again in the written file.
type Written struct {
	Rows, Nulls int64   // all, and those that are null in the input and outside the alphabet
	Moved       bool    // some record shows an earlier null, or an earlier value instead of its null
	Same        int64   // records written with the label they had
	Output      []int64 // records by output letter
	Realised    float64 // mean utility of the records; the expectation where it is not known
	Groups      []int64 // records by group of the plan
	Reached     []report.Reach
}
