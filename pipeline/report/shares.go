package report

// Shares says how wrong a count of the published column is before draws are
// sampled: q is the share of records that are published as a value, pi the share
// that holds it, both among the records that the plan is relative to. A value that
// is never published has q = 0, an output that is called like no value pi = 0.
type Shares struct {
	// the most that any set of values gains or loses: the sum of q - pi where that is positive, in shares
	// of these records, "p/q"
	Shift string `json:"shift"`
	Joint string `json:"joint,omitempty"` // with strata: the same of all sets of stratum and value, "p/q"
	// of the same sum as written, in shares, rounded up; it and the next two are absent where the file is
	// a part of these records
	Written float64 `json:"written,omitempty"`
	Missing int     `json:"missing,omitempty"` // values of these records that no row shows
	Often   float64 `json:"often,omitempty"`   // the largest share as written over the true one, rounded up
	Used    int     `json:"used"`              // outputs that occur
	Of      int     `json:"of"`                // M
	// the largest |q - pi| / pi of a value that one in 100 of these records holds, or more, "p/q"; absent
	// where no value is so common
	Relative string `json:"relative,omitempty"`
	Value    *Label `json:"value,omitempty"` // that has it, the first of several
}
