package report

// Beside is what the columns published in clear, pairs of them, and the places
// of the rows tell of the private column. The figures are of the records
// judged, relative to their own frequencies; nats are rounded up.
type Beside struct {
	State   string    `json:"state"` // "measured", "off", or "nothing is published beside it"
	Records int64     `json:"records,omitempty"`
	Of      int64     `json:"of,omitempty"` // rows of the file
	Columns []Told    `json:"columns,omitempty"`
	Pairs   []Told    `json:"pairs,omitempty"` // of the columns that tell most
	Place   *Told     `json:"place,omitempty"` // of a row in the file, in blocks
	Runs    *Runs     `json:"runs,omitempty"`
	Found   []Finding `json:"findings,omitempty"`
}

// Told is what a column, or two together, tell. Neither Alone nor Given is the
// total, nor is their sum.
type Told struct {
	Names      []string `json:"columns,omitempty"`
	Judged     bool     `json:"judged"`
	Why        string   `json:"why,omitempty"`        // it was not
	Identifier bool     `json:"identifier,omitempty"` // nearly every row has a value of its own
	Bins       int      `json:"bins,omitempty"`       // quantiles that its values were cut into
	Strata     int      `json:"strata"`               // values judged
	Small      int64    `json:"small_records"`        // that hold values of too few records to judge
	Alone      float64  `json:"alone_nats"`           // l(X->w)
	Given      float64  `json:"given_nats"`           // worst stratum's l(X->y|w)
	Total      float64  `json:"total_nats"`           // l(X->(w,y))
	Guess      float64  `json:"guess"`                // best-guess success from it alone
	GuessNone  float64  `json:"guess_without"`        // from neither it nor the output
	GuessBoth  float64  `json:"guess_with_output"`
	Certain    float64  `json:"certain"`                // share of records whose letter it tells
	Sure       float64  `json:"certain_with_output"`    // whose letter it and the output tell
	Removed    float64  `json:"removed"`                // share of the letters' entropy, corrected for the size of the sample
	Worst      *Insight `json:"worst,omitempty"`        // where Total is reached
	Within     *Insight `json:"worst_within,omitempty"` // where Given is reached: before and after are for somebody who knows the value
}

// Insight is an observer who sees a value of the column and an output: how
// likely a guess was, and is. The value of the column is not named.
type Insight struct {
	Output Label   `json:"output"`
	Guess  Label   `json:"guess"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Factor float64 `json:"factor"`
}

// Runs compares neighbouring rows with a shuffled file.
type Runs struct {
	Equal    float64 `json:"equal"`    // share of neighbours that hold the same letter
	Expected float64 `json:"expected"` // in a shuffled file
	Excess   float64 `json:"excess"`   // in standard deviations; above 6 is a chance below 1e-9
}

// Finding is what is beyond a bound, and was allowed.
type Finding struct {
	Names   []string `json:"columns,omitempty"` // none for the places of the rows
	Allowed bool     `json:"allowed"`           // by --allow-linked or --allow-sorted; else it is only worth a warning
	What    string   `json:"what"`
}
