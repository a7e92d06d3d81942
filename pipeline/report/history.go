package report

// History is what was released before, and what all of it tells together.
type History struct {
	State  string  `json:"state"` // "no ledger" or "ledger"
	Series *Series `json:"series,omitempty"`
	Died   []Dead  `json:"died,omitempty"` // runs that died before they published anything
}

// Dead is a release that counts although nothing of it was published.
type Dead struct {
	Release int64  `json:"release"` // id in the ledger
	Voiding string `json:"voiding"` // the command that takes it out of the count
}

// Series is where this release stands in a series of releases.
type Series struct {
	Ledger     string     `json:"ledger"` // its id
	Head       string     `json:"head"`   // hash of its last event once this release was reserved
	Dataset    string     `json:"dataset"`
	Population string     `json:"population,omitempty"`
	Release    int64      `json:"release"`         // id in the ledger
	Night      int        `json:"night"`           // 1, 2, 3, ... of the series
	Again      bool       `json:"again,omitempty"` // the same input, plan and key as before: the same release
	Names      string     `json:"names_key_id,omitempty"`
	Budget     string     `json:"total_epsilon,omitempty"`
	OnChange   string     `json:"on_change,omitempty"`
	Cumulative Figure     `json:"cumulative"` // the largest over records that have a figure
	Kept       *Kept      `json:"records,omitempty"`
	Published  *Published `json:"published,omitempty"`
	Earlier    []Earlier  `json:"earlier,omitempty"`
	Limits     []string   `json:"not_covered"`
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
	Records  int64 `json:"known"` // to the history, this release included
	New      int64 `json:"new"`
	Vanished int64 `json:"vanished"` // since the release before
	Visible  int64 `json:"visible"`  // known to have changed, then or now: they have no cumulative figure
}

// Published is by which draws this release's rows were really published. Ranks and
// values are against this release's true values.
type Published struct {
	Drawn int64  `json:"drawn"`          // rows that show this release's draw, or the same draw as in a night before
	Held  *Shown `json:"held,omitempty"` // the others: rows that show an earlier draw, or that there was no value
}

// EarlierShown says why figures are not there that take what every row was drawn
// from, where rows are not drawn anew.
const EarlierShown = "rows show earlier draws, and the history does not hold the values that these were drawn for"

// Mixed is by which draws the rows of the release were published, where some are not drawn anew; else nil.
func (h *History) Mixed() *Published {
	if s := h.Series; s != nil && s.Published != nil && s.Published.Held != nil && s.Published.Held.Rows > 0 {
		return s.Published
	}
	return nil
}

// Shown are rows that are not drawn anew. The factor is a bound on what one
// of them tells, for whoever is certain that its value never changed.
type Shown struct {
	Rows int64 `json:"rows"`
	// of records that changed visibly: of what their outputs tell together there is no figure
	Visible   int64         `json:"visible"`
	Absent    int64         `json:"absent,omitempty"` // that have no value tonight, where nulls stay
	Factor    string        `json:"factor,omitempty"` // the largest, "p/q"; empty where no row has one
	Nats      float64       `json:"nats,omitempty"`   // rounded up
	Rank      int           `json:"rank,omitempty"`   // of the worst replacement; 0 where all are null
	Value     *float64      `json:"value,omitempty"`  // its utility
	Forbidden int64         `json:"forbidden"`        // rows that the order forbids for this release's value
	Outputs   []ShownOutput `json:"outputs"`
}

// ShownOutput are those that show one output.
type ShownOutput struct {
	Label  Label  `json:"label"`
	Rows   int64  `json:"rows"`
	Factor string `json:"factor,omitempty"`
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
	Persons int64 `json:"persons"`
	Several int64 `json:"with_several_rows"`
	Mixed   int64 `json:"with_several_letters"`
	Most    int   `json:"rows_at_most"`
	// the largest joint factor of a person with several letters, "p/q"; 1 without one; absent, with
	// the two below, where rows show earlier draws
	Factor string   `json:"factor,omitempty"`
	Nats   *float64 `json:"nats,omitempty"`  // rounded up
	Bound  *bool    `json:"bound,omitempty"` // it may be less
}

// Pinned is the plan of an earlier night: the one that was followed, or the one
// that a redesign replaced. Its figures are under the counts of this file.
type Pinned struct {
	State   string  `json:"state"` // "followed" or "redesigned"
	Plan    string  `json:"plan_sha256"`
	Factor  string  `json:"factor,omitempty"`  // "p/q"; none where no counts move the plan, or letters are lacking
	Nats    float64 `json:"nats,omitempty"`    // rounded up
	Holds   bool    `json:"holds"`             // the factor is within epsilon
	Room    float64 `json:"room,omitempty"`    // e^epsilon / factor - 1
	Lacking int     `json:"lacking,omitempty"` // letters with records that the plan does not have
}

// PlanFollowed is the state of a pinned plan that was followed.
const PlanFollowed = "followed"

// Followed reports whether there is such a plan, and it was followed.
func (p *Pinned) Followed() bool { return p != nil && p.State == PlanFollowed }
