// Package plan holds all that a job decides before a record is touched. A Plan
// encodes, decodes and verifies itself. The package reads and writes no file: the
// caller gives the bytes and takes them.
package plan

import (
	"encoding/json"
	"math/big"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Schema names the format of plan.json.
const Schema = "tacet.plan/v2"

// File is the name of a plan.
const File = "plan.json"

// OrderFile lies beside plan.json and holds the normalised order.
const OrderFile = "order.csv"

// A Plan is all that is decided before a record is touched. It holds the
// counts, so it is as confidential as they are.
type Plan struct {
	Column  string
	Null    string // what nulls are: "refuse", "draw" or "public"
	Inputs  utility.Letters
	Outputs utility.Letters
	Prior   mechanism.Prior // counts in the order of Inputs
	Bins    *table.Bins     // that the column's values were put into; nil for none
	Given   Given           // the column given which epsilon holds
	Groups  []Group         // of the records: one without a column given, none without letters
	Order   mechanism.Order
	Lowest  float64 // the least utility of Order that is not -inf; not saved

	Target  string // epsilon as the user wrote it
	Epsilon mechanism.Epsilon
	Leakage mechanism.Leakage // of all records together: for whoever does not know the group
	Design
	KeptFloor
	Floor mechanism.Floor  // that shaped the support
	Next  *mechanism.Floor // the next better floor; not saved
	Bracket
	Worth
	Shares *Shares // nil where nothing was asked of the shares of published values

	Of         string          // what Prior is: "" for the counts of the records, Declared or Smoothed
	Sample     mechanism.Prior // the counts of the records, whatever Prior is
	Smooth     string          // records added to every letter, as the user wrote it
	PriorOnly  bool            // epsilon holds under Prior alone, and not under Sample
	Other      *Other          // where rare values are counted as one; else nil
	Population *Population     // nil where nothing is claimed of one
	Stated     *Stated         // what was declared for it; nil in plans that do not say so
	Headroom   *big.Rat        // share by which e^Epsilon is above what was designed for; nil for none

	Spec       OrderSpec
	OrderCSV   []byte // the normalised order, order.csv
	DesignHash string // hex SHA-256 of what draws depend on
	Hash       string // hex SHA-256 of the plan file
	Made       *Plan  // as it was made, where Prior has the counts of another file; nil else; not saved
}

// A Design says how the mechanisms were made.
type Design struct {
	Kind    string `json:"kind"`
	Stopped bool   `json:"stopped,omitempty"` // time, not proof, ended the search
}

// A KeptFloor is the worst that can occur.
type KeptFloor struct {
	Rank       int      `json:"rank"`
	Value      float64  `json:"value"`
	By         string   `json:"by"`       // "rank" or "value": what At is, once it is encoded
	At         float64  `json:"at"`       // the floor that shaped the support
	Words      string   `json:"in_words"` // what Value promises: "at most 412.3 km away"
	Asked      string   `json:"asked"`    // "best", or the floor that was fixed
	NextRank   int      `json:"next_rank,omitempty"`
	NextFactor *big.Rat `json:"next_factor,omitempty"` // the least known for the next better floor
}

// A Bracket holds the least factor at the floor.
type Bracket struct {
	Lower *big.Rat `json:"lower_factor"`
	Upper *big.Rat `json:"upper_factor"`
	Pi    numbers  `json:"pi,omitempty"` // weights that prove Lower; nil where the binding row alone does
	// Prices were a proof of two priors together, which is neither made nor read.
	Prices json.RawMessage `json:"prices,omitempty"`
}

// A Worth is what is expected, and what no mechanism at this floor and factor is above.
type Worth struct {
	Expected   float64 `json:"expected"` // utility
	UpperBound float64 `json:"upper_bound"`
	// what the optimum left open, in shares of the range of what is preferred
	Gap        float64 `json:"gap,omitempty"`
	Prefer     string  `json:"prefer,omitempty"`    // "unchanged", "shares" or "recovery" where these come first
	Share      float64 `json:"unchanged,omitempty"` // of records expected to stay unchanged, where that is preferred
	ShareBound float64 `json:"unchanged_upper_bound,omitempty"`
}

// OrderSpec says where the utility order came from and how to load it again.
type OrderSpec struct {
	Spec   string `json:"spec"` // as given
	Form   string `json:"form"`
	Kind   string `json:"kind"`   // what labels are read as: text, integer, date, boolean
	Load   string `json:"load"`   // spec that reads order.csv, "matrix:order.csv" where it is a table
	SHA256 string `json:"sha256"` // of order.csv
	Ties   int    `json:"ties"`
	Extra  int    `json:"extra"`
	Unit   string `json:"unit"`
}

// Factor is e^epsilon reached relative to the priors of the groups: the larger of
// that for whoever knows the group and, unless epsilon is kept given the group
// only, that for whoever does not.
func (p *Plan) Factor() *big.Rat {
	_, f := p.Leakage.Max()
	if _, known := p.Known(); p.Given.Only || known.Cmp(f) > 0 {
		return known
	}
	return f
}

// Level is the floor that is kept, as a level. Ok is false where the order has none,
// or the floor is a rank.
func (p *Plan) Level() (level, of int, ok bool) {
	level, of, ok = utility.LevelOf(p.Spec.Form, p.Lowest, p.Value)
	return level, of, ok && p.Floor.ByValue
}

// AsMade is the plan with the counts that it was made from.
func (p *Plan) AsMade() *Plan {
	if p.Made != nil {
		return p.Made
	}
	return p
}

// Empty reports a plan without letters: no rows, or public nulls only.
func (p *Plan) Empty() bool { return len(p.Groups) == 0 }

// InputLabels are the letters of the column, null last.
func (p *Plan) InputLabels() []report.Label {
	return report.Labels(p.Inputs.Label, p.Inputs.Null)
}

// Places are those of the letters of the column.
func (p *Plan) Places() map[report.Label]int { return PlacesOf(p.InputLabels()) }

// OutputLabels are the letters that may be published, null last.
func (p *Plan) OutputLabels() []report.Label {
	return report.Labels(p.Outputs.Label, p.Outputs.Null)
}

// SameLabel reports whether output y is called like input x.
func (p *Plan) SameLabel(x, y int) bool {
	xNull, yNull := x == len(p.Inputs.Label), y == len(p.Outputs.Label)
	if xNull || yNull {
		return xNull && yNull
	}
	return p.Inputs.Label[x] == p.Outputs.Label[y]
}
