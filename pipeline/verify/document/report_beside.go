package document

import "github.com/tacet-privacy/tacet/pipeline/verify/cells"

// told is what a column published in clear, or two together, tell.
type told struct {
	Names      []string `json:"columns"`
	Judged     bool     `json:"judged"`
	Why        string   `json:"why"`
	Identifier bool     `json:"identifier"`
	Bins       int      `json:"bins"`
	Strata     int      `json:"strata"`
	Small      int64    `json:"small_records"`
	Alone      float64  `json:"alone_nats"`
	Given      float64  `json:"given_nats"`
	Total      float64  `json:"total_nats"`
	Guess      float64  `json:"guess"`
	GuessNone  float64  `json:"guess_without"`
	GuessBoth  float64  `json:"guess_with_output"`
	Certain    float64  `json:"certain"`
	Sure       float64  `json:"certain_with_output"`
	Removed    float64  `json:"removed"`
	Worst      *seer    `json:"worst"`
	Within     *seer    `json:"worst_within"`
}

// A seer knows what it sees beside the column, and an output.
type seer struct {
	Output cells.Label `json:"output"`
	Guess  cells.Label `json:"guess"`
	Before float64     `json:"before"`
	After  float64     `json:"after"`
	Factor float64     `json:"factor"`
}

type runs struct {
	Equal    float64 `json:"equal"`
	Expected float64 `json:"expected"`
	Excess   float64 `json:"excess"`
}

type finding struct {
	Names   []string `json:"columns"`
	Allowed bool     `json:"allowed"`
	What    string   `json:"what"`
}
