package report

import (
	"io"
	"strconv"
)

// JointSchema names the format of joint.json.
const JointSchema = "tacet.joint/v2"

// JointFile is joint.json: what the private columns of one release tell
// together, beside a report for each of them.
type JointFile struct {
	Schema  string      `json:"schema"`
	Version string      `json:"version"`         // of Tacet
	Stamp   string      `json:"stamp,omitempty"` // "NOT A PRIVATE RELEASE" when a test seed was used
	Parts   []JointPart `json:"parts"`           // the columns in the order in which they were asked for
	Input   File        `json:"input"`
	Output  File        `json:"output"`
	Joint   Joint       `json:"joint"`
}

// JointPart is one private column and where its report is.
type JointPart struct {
	Column string `json:"column"`
	Folder string `json:"folder"` // beside joint.json
	Plan   Hashes `json:"plan"`
}

// Joint is what several private columns of one record tell together: the
// largest factor by which all its outputs multiply the chance of any guess of
// all its letters. It is relative to the combinations of letters of this file.
// Nats are rounded up.
type Joint struct {
	Columns      []JointColumn `json:"columns"`
	Factor       string        `json:"factor"` // "p/q"
	Nats         float64       `json:"nats"`
	Exact        bool          `json:"exact"` // else Factor is only a bound
	Rule         string        `json:"rule"`  // how Factor came about, in words
	Records      int64         `json:"records"`
	Combinations int64         `json:"combinations"` // of letters that occur
	Smallest     int64         `json:"smallest"`     // records of the rarest of them
	Target       string        `json:"target,omitempty"`
	Most         float64       `json:"target_factor,omitempty"` // e^Target, rounded up
	Added        float64       `json:"added_nats"`              // the sum of the columns' own, which is no bound
	Worst        *JointInsight `json:"worst,omitempty"`         // where Factor is reached
	Words        []string      `json:"words"`
	// Where nulls stay, Factor is among the records that are null in the same
	// columns. Shown is for whoever does not know before which these are, and
	// Presence is what nulls of some columns tell of the value of another.
	Shown    *JointShown     `json:"with_presence,omitempty"`
	Presence []JointPresence `json:"presence,omitempty"`
	// With strata Factor is among the records of the same groups of Given. Unaware bounds
	// what is told to whoever knows neither these nor nulls.
	Given   string      `json:"given,omitempty"`
	Unaware *JointShown `json:"unaware,omitempty"`
}

// JointShown is what all cells of a record tell with what tells records apart.
type JointShown struct {
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
	Exact  bool    `json:"exact"`
}

// JointPresence is what the nulls of some columns tell of another one.
type JointPresence struct {
	By     []string `json:"by"`
	Of     string   `json:"of"`
	Factor string   `json:"factor"` // the largest P(value | which are null) / P(value), "p/q"
	Nats   float64  `json:"nats"`
	// share of records whose value is guessed right with them only, less the reverse
	Gain   float64 `json:"gain"`
	Beyond bool    `json:"beyond,omitempty"` // it would be refused, and was allowed by name
}

// JointColumn is a column with what it tells alone.
type JointColumn struct {
	Column string  `json:"column"`
	Target string  `json:"target"` // epsilon of its plan
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
}

// JointInsight is an observer who sees these outputs of one record, and whom
// they help most.
type JointInsight struct {
	Columns []string     `json:"columns"`          // that are not null in the record
	Output  []Label      `json:"output"`           // in the order of the columns
	Groups  []int        `json:"groups,omitempty"` // with strata: of the record, counted from 1, likewise
	Guesses []JointGuess `json:"guesses"`          // that become likelier the most
	Words   string       `json:"words"`
}

// JointGuess is a combination of letters, and how likely it is before and after
// the outputs are seen.
type JointGuess struct {
	Guess   []Label `json:"guess"`
	Records int64   `json:"records"` // that hold it
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	Factor  string  `json:"factor"`
}

// WriteJSON writes joint.json.
func (j *JointFile) WriteJSON(w io.Writer) error { return writeJSON(w, j) }

// JointOf is joint.json of reports, that of column i in a folder named from 1.
func JointOf(reports []*Report) *JointFile {
	first := reports[0]
	f := &JointFile{Schema: JointSchema, Version: first.Version, Stamp: first.Stamp, Input: first.Input,
		Output: first.Output, Joint: *first.Joint}
	for i, r := range reports {
		f.Parts = append(f.Parts, JointPart{Column: r.Column, Folder: strconv.Itoa(i + 1), Plan: r.Plan})
	}
	return f
}
