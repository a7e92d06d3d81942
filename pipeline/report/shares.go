package report

// Shares says how wrong a count of the published column is before draws are
// sampled: q is the share of records that are published as a value, pi the share
// that holds it, both among the records that the plan is relative to. A value that
// is never published has q = 0, an output that is called like no value pi = 0.
type Shares struct {
	// the most that any set of values gains or loses: the sum of q - pi where that is positive, in shares
	// of these records, "p/q"
	Shift string `json:"shift"`
	// of the same sum as written, in shares, and of the share of a value as written over the true one, the largest;
	// rounded up, and absent where the file is a part of these records
	Written float64 `json:"written,omitempty"`
	Often   float64 `json:"often,omitempty"`
	Used    int     `json:"used"` // outputs that occur
	Of      int     `json:"of"`   // M
	// where a limit leaves room for the counts of later files, "p/q": by how much the design stays below it, and how
	// far the shares of values of this file are from those of the plan, which may be half of that
	Room  string `json:"room,omitempty"`
	Drift string `json:"drift,omitempty"`
	// values that records hold and none is published as; absent where there are none
	Never *Never `json:"never,omitempty"`
}

// Never are the values that records hold and none is published as.
type Never struct {
	Values int     `json:"values"`
	Share  string  `json:"share"` // of the records, that hold them, "p/q"
	First  []Label `json:"first"` // at most 100 of them
}
