package report

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// Beside is what the columns published in clear, pairs of them, and the places
// of the rows tell of the private column: by rules that were learnt from one
// half of the rows read and held against the other.
type Beside struct {
	// "measured", "off", "nothing is published beside it", or "there are no records to judge"
	State   string `json:"state"`
	Records int64  `json:"records,omitempty"`
	Of      int64  `json:"of,omitempty"` // rows of the file
	// Largest is the largest factor by which cells of a column published in
	// clear make a value likelier, as far as held-out rows show: absent where
	// none do, or where nothing was judged. It is not bounded by epsilon.
	Largest *Lift  `json:"largest,omitempty"`
	Blind   int    `json:"blind_letters,omitempty"` // of too few records to be refused for their own sake
	Columns []Told `json:"columns,omitempty"`
	// Identifiers are columns in which nearly every row has a text or a whole number of its own.
	Identifiers []string `json:"identifiers,omitempty"`
	// Pairs of columns that were looked at, and all that there are.
	Looked   int `json:"pairs_judged,omitempty"`
	Possible int `json:"pairs_possible,omitempty"`
	// that are refused or warned of, and the one that makes a value likelier the most
	Pairs    []Told    `json:"pairs,omitempty"`
	Together *Told     `json:"together,omitempty"` // all columns that tell anything, where there are several
	Place    *Told     `json:"place,omitempty"`    // of a row in the file
	Runs     *Runs     `json:"runs,omitempty"`
	Found    []Finding `json:"findings,omitempty"`
}

// A Lift is a column, or two, whose cells make a value at least Factor times as
// likely as it is among all records: a lower bound from held-out rows, rounded
// down.
type Lift struct {
	Names  []string `json:"columns"`
	Factor float64  `json:"factor"`
	Chance float64  `json:"chance"` // of the value at these cells, at the least
	Guess  Label    `json:"guess"`
}

// Told is what a column, or several together, tell.
type Told struct {
	Names []string `json:"columns,omitempty"`
	// false where held-out rows were too few to tell, or there are none
	Judged  bool   `json:"judged"`
	Why     string `json:"why,omitempty"`              // it was not judged
	Verdict string `json:"verdict"`                    // "clear", "not judged", "warn" or "refuse"
	Held    int64  `json:"held_out_records,omitempty"` // on which it was judged
	// share of rows more in which the best guess from it is right: at least
	Gain     float64 `json:"held_out_gain"`
	GainMost float64 `json:"held_out_gain_at_most"`   // and at most, by the rules that were tried
	By       string  `json:"by,omitempty"`            // what of its cells
	Lift     *Lift   `json:"held_out_lift,omitempty"` // the value that it makes likelier the most
	Breach   *Breach `json:"above_epsilon,omitempty"` // the value that it makes likelier than epsilon allows
}

// A Breach is a value that some cells make likelier than an output may.
type Breach struct {
	Guess   Label   `json:"guess"`
	Chance  float64 `json:"chance"`  // at these cells, at the least
	Allowed float64 `json:"allowed"` // by epsilon, of an output
	Recall  float64 `json:"recall"`  // share of the records of the value that have such cells, at the least
}

// Runs compares neighbouring rows with a shuffled file.
type Runs struct {
	Equal    float64 `json:"equal"`    // share of neighbours that hold the same letter
	Expected float64 `json:"expected"` // in a shuffled file
}

// Finding is what is beyond a bound, and was allowed, or what is worth a
// warning, or what was not judged.
type Finding struct {
	Names []string `json:"columns,omitempty"` // none for the places of the rows
	// by --allow-linked or --allow sorted; else it is only worth a warning
	Allowed   bool   `json:"allowed"`
	NotJudged bool   `json:"not_judged,omitempty"` // it may tell anything
	What      string `json:"what"`
}

// Words are the lift in words, the factor rounded down: with `date`, at least
// 12 times.
func (l *Lift) Words() string {
	return fmt.Sprintf("with %s, at least %s times", l.With(), claim.TimesDown(l.Factor))
}

// With names the columns of the lift.
func (l *Lift) With() string {
	var names []string
	for _, n := range l.Names {
		names = append(names, "`"+n+"`")
	}
	return strings.Join(names, " and ")
}
