package document

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A ToldClaim is what a column published in clear, or several together, tell.
type ToldClaim struct {
	Names    []string   `json:"columns"`
	Judged   bool       `json:"judged"`
	Why      string     `json:"why"`
	Verdict  string     `json:"verdict"`
	Held     int64      `json:"held_out_records"`
	Gain     float64    `json:"held_out_gain"`
	GainMost float64    `json:"held_out_gain_at_most"`
	By       string     `json:"by"`
	Lift     *LiftClaim `json:"held_out_lift"`
	Breach   *breach    `json:"above_epsilon"`
	InSample inSample   `json:"in_sample"`
}

// A LiftClaim is a value that cells make likelier than it is among all records.
type LiftClaim struct {
	Names  []string    `json:"columns"`
	Factor float64     `json:"factor"`
	Chance float64     `json:"chance"`
	Guess  files.Label `json:"guess"`
}

// A breach is a value that cells make likelier than epsilon allows an output
// to.
type breach struct {
	Guess   files.Label `json:"guess"`
	Chance  float64     `json:"chance"`
	Allowed float64     `json:"allowed"`
	Recall  float64     `json:"recall"`
}

// inSample are figures of the rows' own frequencies.
type inSample struct {
	Identifier bool       `json:"identifier"`
	Bins       int        `json:"bins"`
	Strata     int        `json:"strata"`
	Small      int64      `json:"small_records"`
	Alone      float64    `json:"alone_nats"`
	Given      float64    `json:"given_nats"`
	Total      float64    `json:"total_nats"`
	Guess      float64    `json:"guess"`
	GuessNone  float64    `json:"guess_without"`
	GuessBoth  float64    `json:"guess_with_output"`
	Certain    float64    `json:"certain"`
	Sure       float64    `json:"certain_with_output"`
	Removed    float64    `json:"removed"`
	Worst      *SeerClaim `json:"worst"`
	Within     *SeerClaim `json:"worst_within"`
}

// A SeerClaim is of whoever knows what it sees beside the column, and an output.
type SeerClaim struct {
	Output files.Label `json:"output"`
	Guess  files.Label `json:"guess"`
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
	Names     []string `json:"columns"`
	Allowed   bool     `json:"allowed"`
	NotJudged bool     `json:"not_judged"`
	What      string   `json:"what"`
}
