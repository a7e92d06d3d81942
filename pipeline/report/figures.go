package report

// Domain says where the letters come from.
type Domain struct {
	// "observed": the letters are those of the data; "declared": a file names letters that may occur;
	// "the plan"
	Rule     string `json:"rule"`
	Declared int    `json:"declared"` // letters that a file names
	Observed int    `json:"observed"` // letters that the data hold
	Unseen   string `json:"unseen"`   // what happens to a value that is no letter
	Null     string `json:"null"`     // rule for nulls: "refuse", "draw", "public"
	Bins     *Bins  `json:"bins,omitempty"`
}

// Bins are what the values were put into before anything was drawn.
type Bins struct {
	Spec string `json:"spec"` // edges, a width or a unit, as in plan.json
	Of   string `json:"of"`   // what the column holds
}

// Source is a file of a declared choice, as it was when it was read.
type Source struct {
	Flag   string `json:"flag"` // "utility", "domain", "labels"
	Name   string `json:"name"` // of the file, without its folders
	SHA256 string `json:"sha256"`
}

// GridCap is what an observer can at most come to believe of a value that is
// held by a round share of records, under the epsilon asked for.
type GridCap struct {
	Share float64 `json:"share"`
	Cap   float64 `json:"cap"` // min(1, e^epsilon share), rounded up
}

// Cap is what an observer who knows only the frequencies can come to believe
// of one letter.
type Cap struct {
	Label   Label   `json:"label"`
	Records int64   `json:"records"`
	Share   float64 `json:"share"`
	Cap     float64 `json:"cap"`     // min(1, e^epsilon share) at the epsilon reached, rounded up
	Reached float64 `json:"reached"` // largest belief after any output, rounded up
	Certain bool    `json:"certain"` // some output confirms it
	// With strata, for whoever knows them: the largest share in any. Cap,
	// Reached and Certain are the largest of any stratum, too.
	Most float64 `json:"largest_share,omitempty"`
}

// Certainty says of how many records the outputs leave no doubt, or nothing but
// doubt, for an observer who knows the frequencies. Shares are of records, and
// expected over draws. All but Allowed are absent where rows show earlier draws.
type Certainty struct {
	Confirmed *float64 `json:"confirmed,omitempty"` // published as an output that no other value gives
	// every output that occurs confirms its value: the output is the input, up to names
	Unchanged *bool  `json:"unchanged,omitempty"`
	Allowed   bool   `json:"unchanged_allowed"` // by --allow unchanged
	Nothing   string `json:"nothing,omitempty"` // the output tells nothing: why, and what would help
}

// Same reports that the output is known to be the input, up to names.
func (c *Certainty) Same() bool { return c != nil && c.Unchanged != nil && *c.Unchanged }

// Guess is how often the best guess of a letter is right, for an observer who
// knows the frequencies.
type Guess struct {
	Before float64 `json:"before"` // share of the commonest letter
	Mean   float64 `json:"mean"`   // after seeing the output, over all records
	Worst  float64 `json:"worst"`  // after seeing the most telling output, rounded up
}

// Story is the guess that one output helps most.
type Story struct {
	Output Label   `json:"output"`
	Guess  Label   `json:"guess"`            // the letter whose chance grows by the factor
	Before float64 `json:"before"`           // chance that it is right
	After  float64 `json:"after"`            // the same once the output is seen
	Factor string  `json:"factor"`           // After / Before, "p/q"
	Strata []Label `json:"strata,omitempty"` // that the observer knows the record to be in
}

// Analysts is what can be estimated from the output alone, with the
// mechanism known: shares P with p^T P = q.
type Analysts struct {
	Letters   int `json:"letters"`   // N
	Rank      int `json:"rank"`      // of the mechanism; N means that every share can be estimated
	Estimable int `json:"estimable"` // letters whose own share can be estimated
}

// Draws says where the randomness comes from.
type Draws struct {
	Generator string `json:"generator"`
	Key       string `json:"key"`
	// "fresh": every run draws anew; "memoised": a function of key, id and letter
	Kind  string `json:"kind"`
	KeyID string `json:"key_id,omitempty"` // memoised, or of a run that can be repeated
	RunID string `json:"run_id,omitempty"` // of a run that can be repeated: the same run of plan and file draws the same
	Unit  string `json:"unit,omitempty"`   // memoised: ids are of a "record" or a "person"
}
