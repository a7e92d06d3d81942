package report

// Domain says where the letters come from.
type Domain struct {
	Rule     string `json:"rule"`     // "observed": the letters are those of the data; "declared": a file names letters that may occur; "the plan"
	Declared int    `json:"declared"` // letters that a file names
	Observed int    `json:"observed"` // letters that the data hold
	Unseen   string `json:"unseen"`   // what happens to a value that is no letter
	Null     string `json:"null"`     // rule for nulls: "refuse", "letter", "public"
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
}

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
	Guess  Label   `json:"guess"`  // the letter whose chance grows by the factor
	Before float64 `json:"before"` // chance that it is right
	After  float64 `json:"after"`  // the same once the output is seen
	Factor string  `json:"factor"` // After / Before, "p/q"
}

// State is a figure that needs what this run did not have.
type State struct {
	State string `json:"state"`
}

// FloorCost is what another floor would cost under these counts.
type FloorCost struct {
	Floor   string  `json:"floor"`        // "rank >= 3"
	At      float64 `json:"at"`           // the same as a number
	ByValue bool    `json:"by_value"`     // At is a utility, not a rank
	Value   float64 `json:"value"`        // the worst that it allows
	Safe    string  `json:"safe_factor"`  // of the utility-safe mechanism at this floor or a better one, "p/q"
	Nats    float64 `json:"safe_nats"`    // rounded up
	Lower   string  `json:"lower_factor"` // no mechanism at this floor leaks less
	Mean    float64 `json:"safe_mean"`    // expected utility of that mechanism
}

// Analysts is what can be estimated from the output alone, with the
// mechanism known: shares P with p^T P = q.
type Analysts struct {
	Letters   int `json:"letters"`   // N
	Rank      int `json:"rank"`      // of the mechanism; N means that every share can be estimated
	Estimable int `json:"estimable"` // letters whose own share can be estimated
}

// Transitions is what becomes of each letter. Many letters are grouped,
// neighbours together, at most 24 groups; the mean of a group is over its
// records.
type Transitions struct {
	Inputs  []string    `json:"inputs"`  // a letter, or the first and the last of a group
	Outputs []string    `json:"outputs"` // the same
	Share   [][]float64 `json:"share"`   // of the row's records that are expected to be written with the column
}

// Draws says where the randomness comes from.
type Draws struct {
	Generator string `json:"generator"`
	Key       string `json:"key"`
	Kind      string `json:"kind"`             // "fresh": every run draws anew; "memoised": a function of key, id and letter
	KeyID     string `json:"key_id,omitempty"` // memoised
	Unit      string `json:"unit,omitempty"`   // memoised: ids are of a "record" or a "person"
}

// Change is a field that differs from the report before.
type Change struct {
	Field  string `json:"field"` // "section: field"
	Before string `json:"before"`
	Now    string `json:"now"`
}
