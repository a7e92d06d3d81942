package report

// Strata is the reading of the promise given a column: epsilon is the largest
// leakage in any of its strata, each relative to the frequencies of its own
// records, and, unless GivenOnly, for whoever does not know the stratum, too.
type Strata struct {
	Column    string `json:"column"`
	Published bool   `json:"published"`  // the column stands in the output
	GivenOnly bool   `json:"given_only"` // nothing is promised to whoever does not know the stratum
	Min       int64  `json:"min"`        // records below which strata were merged; 0 where none would have been
	Merged    int    `json:"merged"`     // strata in the rest; 0 where none was merged
	Rule      string `json:"rule"`       // "shared": one mechanism for all; "apart": one for each group
	Observed         // relative to the counts of the plan, or to its declared or smoothed prior
	// Own is the same relative to the records, where the prior is something else:
	// without what the column tells, which is relative to them in any case.
	Own    *Observed `json:"own,omitempty"`
	Groups []Stratum `json:"groups"` // in the order of their names, the rest last
}

// Observed is what one output tells three observers at the most: one who knows
// the stratum, one who does not, and one who learns stratum and output
// together. The last is no bound of any mechanism, since the stratum alone tells
// so much. Factors are "p/q", nats are rounded up.
type Observed struct {
	Known        string  `json:"given_factor"` // the largest of any group
	KnownNats    float64 `json:"given_nats"`
	Overall      string  `json:"overall_factor"`
	OverallNats  float64 `json:"overall_nats"`
	Together     string  `json:"together_factor,omitempty"` // where the column is published
	TogetherNats float64 `json:"together_nats,omitempty"`
	Alone        string  `json:"alone_factor,omitempty"` // of the stratum without the output, likewise
	AloneNats    float64 `json:"alone_nats,omitempty"`
}

// A Stratum is one stratum, or several that were merged.
type Stratum struct {
	Names    []Label `json:"strata"`
	Rest     bool    `json:"rest,omitempty"` // small strata were merged here, and unknown ones would be
	Records  int64   `json:"records"`        // that the leakage is relative to
	Letters  int     `json:"letters"`        // that occur
	Written  int64   `json:"written"`        // records of this file
	Factor   string  `json:"factor"`         // e^epsilon given the stratum, "p/q"
	Nats     float64 `json:"nats"`           // rounded up
	Output   Label   `json:"output"`         // that leaks so much
	Rank     int     `json:"rank"`           // of the worst output
	Value    float64 `json:"value"`          // its utility
	Expected float64 `json:"expected"`
	// by which shares are off among its records, "p/q"; absent where rows show earlier draws
	Shift string `json:"shift,omitempty"`
	// Where a plan was followed that was made from other counts: those of this
	// file, by letter of the plan.
	Counts []string `json:"counts,omitempty"`
}

// All are the groups; none where no column is given.
func (s *Strata) All() []Stratum {
	if s == nil {
		return nil
	}
	return s.Groups
}

// Given is the column; "" for none.
func (s *Strata) Given() string {
	if s == nil {
		return ""
	}
	return s.Column
}
