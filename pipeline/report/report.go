// Package report is the report of a release: its figures as JSON, the public part of
// them, and documents of sections that are written as text and HTML. It
// knows no mechanism and no file but its own.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// Schema names the format of report.json.
const Schema = "tacet.report/v3"

// Report is the internal leakage report of one run. It holds counts and
// figures that encode counts, so it is not for publication. Fractions are
// strings "p/q"; leakages are in nats and rounded up.
type Report struct {
	Schema  string `json:"schema"`
	Command string `json:"command"` // "run" or "apply"

	Claims []claim.Claim `json:"claims"` // what is promised, reached and told, and to whom

	Column  string `json:"column"`  // the private column
	Type    string `json:"type"`    // of the column, in the input
	Records int64  `json:"records"` // records the promise is about
	Letters int    `json:"letters"` // N, null and declared letters included
	// replacements found in the written file that the plan forbids: 0
	Forbidden int64  `json:"forbidden"`
	Input     File   `json:"input"`           // what was privatized
	Domain    Domain `json:"domain"`          // where the letters come from
	Nulls     *Nulls `json:"nulls,omitempty"` // where nulls occur
	Order     Order  `json:"order"`           // what may stand for what
	Floor     Floor  `json:"floor"`           // the worst replacement that can occur
	Prior     Prior  `json:"prior"`           // what the leakage is relative to
	Other     *Other `json:"other,omitempty"` // where rare letters are treated alike
	// the other reading: what the records say of the law they were drawn from
	Population *Population `json:"population,omitempty"`
	Strata     *Strata     `json:"strata,omitempty"`    // where the promise holds given a column
	Design     Design      `json:"design"`              // mechanism and how good it is
	Epsilon    Epsilon     `json:"epsilon"`             // promised and reached
	Most       float64     `json:"target_factor"`       // e^epsilon as it was asked for, rounded up
	Outputs    []Output    `json:"outputs"`             // leakage of every output that can occur
	Binding    *Binding    `json:"binding,omitempty"`   // the set of letters that decides epsilon
	Scale      Scale       `json:"scale"`               // what epsilon means for these counts
	Certainty  *Certainty  `json:"certainty,omitempty"` // of how many records the outputs leave no doubt
	Grid       []GridCap   `json:"grid"`                // caps of a few round shares at the epsilon asked for
	Caps       []Cap       `json:"caps"`                // belief in every letter that occurs, commonest first
	// how often the best guess is right; absent where it was not computed
	Guess     *Guess    `json:"guess,omitempty"`
	Story     *Story    `json:"story,omitempty"`        // the worst case
	Joint     *Joint    `json:"joint,omitempty"`        // what all private columns of the run tell together
	JointHash string    `json:"joint_sha256,omitempty"` // of joint.json, the id of the release; "" of one column
	Utility   Utility   `json:"utility"`                // what the records keep
	Shares    *Shares   `json:"shares,omitempty"`       // how wrong counts of the output are; absent with earlier draws
	Analysts  *Analysts `json:"analysts,omitempty"`     // what can be estimated from the output
	Checks    []Check   `json:"checks"`                 // done on the written file before it was put in place
	Output    File      `json:"output"`                 // what was published
	Plan      Hashes    `json:"plan"`
	Warnings  []string  `json:"warnings"` // what a reader must not overlook
	Stated    `json:"stated"`
}

// Prior says which counts the leakage is relative to.
type Prior struct {
	// "this file", "this file, smoothed", "declared prior", or "the plan" of which the file is a part
	Of  string  `json:"of"`
	Max float64 `json:"max"` // share of the commonest letter
	Min float64 `json:"min"` // share of the rarest letter that occurs
	// letters without a record here or in what the prior is, and drawn like none that has one
	Unseen int    `json:"unseen"`
	Late   int    `json:"late,omitempty"` // letters with records here and none in what the prior is
	Person string `json:"persons"`        // rows per person, "not stated" unless told
	// Where the prior is not the counts of this file: the leakage relative to
	// these, "p/q" and nats, rounded up.
	Own     string  `json:"own_factor,omitempty"`
	OwnNats float64 `json:"own_nats,omitempty"`
	Smooth  string  `json:"smooth,omitempty"` // records added to every letter, as the user wrote it
	File    string  `json:"file,omitempty"`   // name of the file that declares the prior
	// epsilon holds for the declared or smoothed prior alone: nothing is promised relative to the
	// records' own
	Only bool `json:"only,omitempty"`
	// Where a plan was followed that was made from other counts: those of this
	// file, by letter of the plan. The leakage is relative to them.
	Counts []string `json:"counts,omitempty"`
	Part   *Part    `json:"part,omitempty"` // this file is a part of the plan's data
}

// Held reports whether epsilon holds for a declared or smoothed prior and for the records'
// own frequencies at once.
func (p *Prior) Held() bool { return (p.Of == "declared prior" || p.Smooth != "") && !p.Only }

// Part is the place of a file in the data that its plan was made from. Leakage
// is relative to the whole; relative to the part alone nothing is claimed.
type Part struct {
	Records int64   `json:"records"` // of this file
	Of      int64   `json:"of"`      // of the whole
	Factor  string  `json:"factor"`  // relative to the part's own counts, "p/q"
	Nats    float64 `json:"nats"`    // rounded up
}

// Nulls says what happened to nulls.
type Nulls struct {
	Rule  string  `json:"rule"`            // "draw" or "public"
	Count int64   `json:"count"`           // records
	Share float64 `json:"share,omitempty"` // of all records
	// Public: what presence tells whoever knows how common it is. A null tells
	// -log P(null), a value -log P(not null); nats are rounded up. They are
	// left out where records go on showing an earlier null or value.
	Factor  string  `json:"null_factor,omitempty"`  // 1/P(null), "p/q"
	Nats    float64 `json:"nats,omitempty"`         // of it
	Present string  `json:"value_factor,omitempty"` // 1/P(not null), "p/q"
	Valued  float64 `json:"value_nats,omitempty"`   // of it
}

// Epsilon is the promise and what was reached.
type Epsilon struct {
	Target string  `json:"target"` // as the user wrote it
	Factor string  `json:"factor"` // e^epsilon reached, "p/q", exact
	Nats   float64 `json:"nats"`   // log of the factor, rounded up
}

// Floor is the worst replacement that can occur.
type Floor struct {
	Rank     int     `json:"rank"`     // of the worst output, 1 to Of
	Value    float64 `json:"value"`    // its utility
	Of       int     `json:"of"`       // M
	Asked    string  `json:"asked"`    // "best" or the floor that was fixed
	Least    int     `json:"allowed"`  // smallest number of outputs a letter has
	Most     int     `json:"most"`     // largest number of outputs a letter has
	InWords  string  `json:"in_words"` // "at most 412 km away"
	NextRank int     `json:"next_rank,omitempty"`
	NextNeed string  `json:"next_factor,omitempty"` // factor the next floor needs, "p/q"

	Level *claim.Level `json:"level,omitempty"` // that is kept, where the floor is one of levels
}

// LevelOf is a level, nil where there is none.
func LevelOf(at, of int, ok bool) *claim.Level {
	if !ok {
		return nil
	}
	return &claim.Level{At: at, Of: of}
}

// Place says where the floor is: at a level, or else at a rank.
func (f *Floor) Place() string { return claim.Place(f.Level, f.Rank, f.Of) }

// Next names the next better floor.
func (f *Floor) Next() string {
	if f.NextRank == 0 {
		return "a better floor"
	}
	return fmt.Sprintf("rank %d", f.NextRank)
}

// Design is the mechanism and its proof.
type Design struct {
	Kind    string `json:"kind"`
	Lower   string `json:"lower_factor"` // no mechanism at this floor has a smaller factor
	Upper   string `json:"upper_factor"` // one with this factor is known
	Stopped bool   `json:"stopped"`      // time, not proof, ended the search for floor and utility
	// UtilityGap is what is left open between the expected utility and its
	// proven bound, in shares of the range of utilities at this floor.
	UtilityGap float64 `json:"utility_gap,omitempty"`
	Headroom   string  `json:"headroom,omitempty"`    // share by which counts may drift, "p/q"
	Prefer     string  `json:"prefer,omitempty"`      // "unchanged", "shares" or "recovery", if before the utility
	Asked      string  `json:"asked,omitempty"`       // the kind that was asked for, or "auto"
	MaxShift   string  `json:"max_shift,omitempty"`   // limit of the shift, as it was asked for
	Keep       bool    `json:"keep_values,omitempty"` // every value is published with at least half of its share
	NoLimit    string  `json:"no_limit,omitempty"`    // why the default limit was left out
}

// Utility is what the records keep, in the unit of the order.
type Utility struct {
	Worst      float64 `json:"worst"`
	Expected   float64 `json:"expected"`    // mean over records and draws
	UpperBound float64 `json:"upper_bound"` // no mechanism at this floor and factor has a larger mean
	Realised   float64 `json:"realised"`    // mean over the records written
	Unit       string  `json:"unit"`
	Unchanged  int64   `json:"unchanged"` // records written with the letter they had
	// Where unchanged records were preferred, their expected share and what no
	// mechanism at this floor and factor exceeds.
	Share      float64 `json:"unchanged_expected,omitempty"`
	ShareBound float64 `json:"unchanged_upper_bound,omitempty"`
	// Where recovery was preferred, a bound of the standard errors of estimated shares, for one
	// record and in the root mean square over all values, and that of randomised response.
	Error     float64 `json:"recovery_error,omitempty"`
	Responded float64 `json:"recovery_error_response,omitempty"`
	Reached   []Reach `json:"reached,omitempty"` // by the records written, the best first
}

// Reach is how many records were written with such a utility or a better one.
type Reach struct {
	Utility float64 `json:"utility"`
	Records int64   `json:"records"`
}

// Scale tells what epsilon means for these counts (nats). What an output may
// confirm is absent where it was not computed.
type Scale struct {
	Commonest   float64  `json:"commonest_from"` // from this epsilon on the commonest letter may be confirmed
	Rarest      float64  `json:"rarest_from"`    // from this epsilon on every letter may be confirmed
	Uncapped    *int     `json:"uncapped_letters,omitempty"`
	UncappedRow *float64 `json:"uncapped_share,omitempty"`  // of records that hold such a letter
	Certain     *int     `json:"certain_letters,omitempty"` // letters that some output does confirm with certainty
	CertainRow  *float64 `json:"certain_share,omitempty"`   // of records that hold such a letter
}

// Binding is the output whose letters decide epsilon.
type Binding struct {
	Output  Label `json:"output"`
	Letters int   `json:"letters"` // |S_y|
	Records int64 `json:"records"` // that hold one of them
}

// Output is the leakage of one output.
type Output struct {
	Label   Label   `json:"label"`
	Factor  string  `json:"factor"`  // e^l(y), "p/q"; empty where no draw of this release gives it
	Nats    float64 `json:"nats"`    // rounded up
	Support int     `json:"support"` // letters that may give it
	Share   float64 `json:"share"`   // of the records written; where nulls stay, of those published with a value
	// Where rows that are not drawn in this release show it: how many, and the
	// most that one of them tells, "p/q" and nats, rounded up.
	EarlierRows int64   `json:"earlier_rows,omitempty"`
	Earlier     string  `json:"earlier_factor,omitempty"`
	EarlierNats float64 `json:"earlier_nats,omitempty"`
}

// Order describes the utility order.
type Order struct {
	Spec   string `json:"spec"`
	Form   string `json:"form"`
	SHA256 string `json:"sha256"` // of order.csv
	Ties   int    `json:"ties"`   // rows with ties, -1 if not counted; they break by column
	Extra  int    `json:"extra"`  // letters of the spec that the data do not have
}

// Column is what became of a top-level column.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Fate string `json:"fate"` // "privatized", "published in clear", "dropped"
}

// Check is one thing looked at in the written file.
type Check struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"`
}

// File is an input or output.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // empty with --hash none
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	Format string `json:"format"`
	// of a data set, which Path is a folder or list of; then Rows and Bytes are of all, and SHA256 is
	// that of the list of hashes and paths, as sha256sum prints it
	Files int      `json:"files,omitempty"`
	Empty []string `json:"empty,omitempty"` // files of 0 bytes, which were left out

	Dialect *Dialect `json:"dialect,omitempty"` // of CSV
}

// A Dialect is how a CSV file is written.
type Dialect struct {
	Delimiter string `json:"delimiter"`
	Header    bool   `json:"header"` // the first row has the names of the columns
}

// Hashes tie the report to its plan.
type Hashes struct {
	Plan   string `json:"plan_sha256"`
	Design string `json:"design_sha256"`
}

// Setting is an effective option and where it came from.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // "flag", "environment", "config", "default"
}

// WriteJSON writes report.json.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteJSON writes public/report.json.
func (p *Public) WriteJSON(w io.Writer) error { return writeJSON(w, p) }

func writeJSON(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
