package report

// History is what was released before, and what all of it tells together.
type History struct {
	State  string  `json:"state"` // "no ledger" or "ledger"
	Series *Series `json:"series,omitempty"`
	Moved  *Moved  `json:"previous_input,omitempty"` // nil where it was not given
}

// Moved compares the input of the release before with this one's, by record
// ids and true letters. It is internal: no public report has it.
type Moved struct {
	SHA256   string `json:"sha256,omitempty"` // of the input of before
	Rows     int64  `json:"rows"`             // of it
	Both     int64  `json:"records_in_both"`
	Changed  int64  `json:"changed_letters"` // of these
	New      int64  `json:"new"`
	Vanished int64  `json:"vanished"`
}

// Series is where this release stands in a series of releases.
type Series struct {
	Ledger     string    `json:"ledger"` // its id
	Head       string    `json:"head"`   // hash of its last event once this release was reserved
	Dataset    string    `json:"dataset"`
	Population string    `json:"population,omitempty"`
	Release    int64     `json:"release"`         // id in the ledger
	Night      int       `json:"night"`           // 1, 2, 3, ... of the series
	Again      bool      `json:"again,omitempty"` // the same input, plan and key as before: the same release
	Names      string    `json:"names_key_id,omitempty"`
	Budget     string    `json:"total_epsilon,omitempty"`
	OnChange   string    `json:"on_change,omitempty"`
	OverBudget string    `json:"over_budget,omitempty"`
	Reserved   Figure    `json:"reserved"`   // worst case before anything was drawn
	Cumulative Figure    `json:"cumulative"` // the largest over records that have a figure
	Kept       *Kept     `json:"records,omitempty"`
	Earlier    []Earlier `json:"earlier,omitempty"`
	Limits     []string  `json:"not_covered"`
}

// Figure is a factor of a whole series and how it is known.
type Figure struct {
	Factor string  `json:"factor,omitempty"` // "p/q"; empty where there is no figure
	Nats   float64 `json:"nats"`             // rounded up
	Label  string  `json:"label"`            // "exact", "bound", "none"
	Rule   string  `json:"rule,omitempty"`
}

// Kept counts records by what was published of them; nothing of it is about
// true values.
type Kept struct {
	Records    int64    `json:"known"` // to the history, this release included
	New        int64    `json:"new"`
	Vanished   int64    `json:"vanished"`   // since the release before
	Changed    int64    `json:"changed"`    // published with another output than last
	Visible    int64    `json:"visible"`    // known to have changed, then or now: they have no cumulative figure
	Held       int64    `json:"held"`       // rows that repeat or hide something, outside floor and fit
	Limited    int64    `json:"limited"`    // of these, by the total
	Suppressed int64    `json:"suppressed"` // rows published as a null
	Spread     []Spread `json:"spread,omitempty"`
}

// Spread says that a share of the records with a figure have at most these
// nats, rounded up to thousandths.
type Spread struct {
	Share float64 `json:"share"`
	Nats  float64 `json:"nats"`
}

// Earlier is a release before.
type Earlier struct {
	Release    int64  `json:"release"`
	Night      int    `json:"night"`
	When       string `json:"when"`
	Design     string `json:"design_sha256"`
	Key        string `json:"key_id,omitempty"`
	Rows       int64  `json:"rows"`
	Factor     string `json:"factor"` // of that release alone
	Cumulative Figure `json:"cumulative"`
}

// Persons is what rows of one person tell together in this release.
type Persons struct {
	Persons int64   `json:"persons"`
	Several int64   `json:"with_several_rows"`
	Mixed   int64   `json:"with_several_letters"`
	Most    int     `json:"rows_at_most"`
	Factor  string  `json:"factor"` // the largest joint factor of a person with several letters, "p/q"; 1 without one
	Nats    float64 `json:"nats"`   // rounded up
	Bound   bool    `json:"bound"`  // it may be less
}
