package ledger

import (
	"cmp"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Series is what is released again and again: one column of a dataset, over
// a population of records.
type Series struct {
	Dataset    string `json:"dataset"`
	Column     string `json:"column"`
	Population string `json:"population,omitempty"`
}

// A Release is what one run is going to publish. Hashes are SHA-256 in 64
// hexadecimal digits, factors e^epsilon as exact fractions "p/q" or "p".
type Release struct {
	Series
	PlanSHA256   string `json:"plan_sha256"`
	DesignSHA256 string `json:"design_sha256"`    // what draws depend on
	KeyID        string `json:"key_id,omitempty"` // of memoised draws; empty for fresh ones
	InputSHA256  string `json:"input_sha256"`     //
	Factor       string `json:"factor"`           // of this release alone
	Budget       string `json:"budget,omitempty"` // the cap on the series, as it was given
	OnChange     string `json:"on_change,omitempty"`
	OverBudget   string `json:"over_budget,omitempty"` // of releases of an earlier version
	// Documents are kept in the ledger under their hashes: the plan and the
	// order, so that a later night can use and replay them.
	Documents []Document `json:"documents,omitempty"`
}

// A Document is a file kept in the ledger.
type Document struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // filled in by Reserve
	Data   []byte `json:"-"`
}

// A Claim is a factor of a whole series and how it is known.
type Claim struct {
	Factor string `json:"factor,omitempty"` // exact fraction; empty where there is no figure
	Label  string `json:"label"`            // "exact", "bound", or "none" where there is no figure
	Rule   string `json:"rule,omitempty"`   // which theorem or enumeration gave it
}

// Realised is what a release came to, known when its last byte is drawn.
type Realised struct {
	OutputSHA256 string `json:"output_sha256"`
	Rows         int64  `json:"rows"`
	Factor       string `json:"factor"`            // of this release alone
	Cumulative   Claim  `json:"cumulative"`        // the largest over the records that have a figure
	Changed      int64  `json:"changed"`           // records whose outputs show a change: they have no cumulative figure
	Held         int64  `json:"held"`              // rows that show an earlier draw
	Limited      int64  `json:"limited,omitempty"` // of releases of an earlier version
	New          int64  `json:"new"`               // records never seen before
	Vanished     int64  `json:"vanished"`          // records of the release before that are gone
	// History is the record history with this release in it, if there is one.
	History *Segment `json:"history,omitempty"`
}

// A Segment is a history file as the ledger refers to it.
type Segment struct {
	File    string `json:"file"` // name in the folder of the series
	SHA256  string `json:"sha256"`
	Base    string `json:"base,omitempty"` // SHA256 of the segment it continues; empty for the first
	Records int64  `json:"records"`
	Entries int64  `json:"entries"`
}

// check refuses what cannot be written down or compared later.
func (r *Release) check() error {
	if r.Dataset == "" || r.Column == "" {
		return refuse(Malformed, "name them", "a release needs the names of its dataset and column")
	}
	for _, text := range []string{r.Dataset, r.Column, r.Population, r.KeyID, r.Budget, r.OnChange, r.OverBudget} {
		if err := checkText(text); err != nil {
			return err
		}
	}
	for _, d := range r.Documents {
		if err := checkText(d.Name); err != nil {
			return err
		}
	}
	return cmp.Or(checkHash("plan", r.PlanSHA256), checkHash("design", r.DesignSHA256),
		checkHash("input", r.InputSHA256), checkFactor(r.Factor))
}

func (c Claim) check() error {
	switch c.Label {
	case "none":
		if c.Factor == "" {
			return checkText(c.Rule)
		}
	case "exact", "bound":
		return cmp.Or(checkFactor(c.Factor), checkText(c.Rule))
	}
	return refuse(Malformed, "", "the factor of a series must have the label exact, bound or none")
}

func (r *Realised) check() error {
	for _, n := range []int64{r.Rows, r.Changed, r.Held, r.Limited, r.New, r.Vanished} {
		if n < 0 {
			return refuse(Malformed, "", "a count of a release is negative")
		}
	}
	if h := r.History; h != nil {
		if h.File == "" || strings.ContainsAny(h.File, "/\x00") || strings.HasPrefix(h.File, ".") {
			return refuse(Malformed, "", "a history is a plain file of its folder")
		}
		if err := cmp.Or(checkText(h.File), checkHash("history", h.SHA256)); err != nil {
			return err
		}
	}
	return cmp.Or(checkHash("output", r.OutputSHA256), checkFactor(r.Factor), r.Cumulative.check())
}

func checkText(s string) error {
	if len(s) > 1000 || !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0 {
		return refuse(Malformed, "use one line of plain text",
			"a name or reason is longer than 1000 bytes, not UTF-8, or holds control characters")
	}
	return nil
}

func checkHash(of, s string) error {
	if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return refuse(Malformed, "", "the %s's hash is not 64 hexadecimal digits", of)
	}
	return nil
}

// checkFactor wants a fraction in lowest terms that is at least 1: a largest
// factor is, since the probabilities it compares are averages of each other.
func checkFactor(s string) error {
	f, ok := new(big.Rat).SetString(s)
	if !ok || f.RatString() != s || f.Cmp(big.NewRat(1, 1)) < 0 {
		return refuse(Malformed, "", "a factor is not a fraction in lowest terms of at least 1")
	}
	return nil
}
