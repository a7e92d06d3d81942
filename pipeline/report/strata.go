package report

// Strata is the reading of the promise given a column: epsilon is the largest
// leakage in any of its strata, each relative to the frequencies of its own
// records.
type Strata struct {
	Column   string    `json:"column"`
	Function string    `json:"function,omitempty"` // of the column: "weekday", "month" or "hour"
	Min      int64     `json:"min"`                // records below which strata were merged
	Merged   int       `json:"merged"`             // strata in the rest; 0 where none was merged
	Rule     string    `json:"rule"`               // "shared": one mechanism for all; "apart": one for each group
	Overall  string    `json:"overall_factor"`     // for an observer who does not know the stratum, "p/q"
	Nats     float64   `json:"overall_nats"`       // likewise, rounded up
	Tried    []Weighed `json:"tried"`              // what was weighed, and what a design without strata reaches
	Groups   []Stratum `json:"groups"`             // in the order of their names, the rest last
}

// Weighed is a design that was compared with others.
type Weighed struct {
	Rule     string  `json:"rule"`  // "shared", "apart", or "none": without strata
	Found    bool    `json:"found"` // within epsilon
	Rank     int     `json:"rank"`  // of the worst output
	Value    float64 `json:"value"` // its utility
	Expected float64 `json:"expected"`
}

// A Stratum is one stratum, or several that were merged.
type Stratum struct {
	Names    []Label `json:"strata"`
	Rest     bool    `json:"rest,omitempty"` // small strata were merged here, and unknown ones would be
	Records  int64   `json:"records"`        // of the plan
	Letters  int     `json:"letters"`        // that occur
	Written  int64   `json:"written"`        // records of this file
	Factor   string  `json:"factor"`         // e^epsilon given the stratum, "p/q"
	Nats     float64 `json:"nats"`           // rounded up
	Output   Label   `json:"output"`         // that leaks so much
	Rank     int     `json:"rank"`           // of the worst output
	Value    float64 `json:"value"`          // its utility
	Expected float64 `json:"expected"`
}

// Given is the column or the function of it, as it was asked for.
func (s *Strata) Given() string {
	if s.Function == "" {
		return s.Column
	}
	return s.Function + "(" + s.Column + ")"
}
