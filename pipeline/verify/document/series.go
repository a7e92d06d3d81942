package document

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A SeriesClaim is what the report says of the series that the release is of.
type SeriesClaim struct {
	Ledger     string          `json:"ledger"`
	Head       string          `json:"head"`
	Dataset    string          `json:"dataset"`
	Population string          `json:"population,omitempty"`
	Release    int64           `json:"release"`
	Night      int             `json:"night"`
	Again      bool            `json:"again,omitempty"`
	Names      string          `json:"names_key_id,omitempty"`
	Budget     string          `json:"total_epsilon,omitempty"`
	OnChange   string          `json:"on_change,omitempty"`
	OverBudget string          `json:"over_budget,omitempty"`
	Reserved   FigureClaim     `json:"reserved"`
	Cumulative FigureClaim     `json:"cumulative"`
	Kept       *KeptClaim      `json:"records,omitempty"`
	Published  *PublishedClaim `json:"published,omitempty"`
	Earlier    []EarlierClaim  `json:"earlier,omitempty"`
	Limits     []string        `json:"not_covered"`
}

// A KeptClaim counts records by what was published of them.
type KeptClaim struct {
	Records    int64 `json:"known"`
	New        int64 `json:"new"`
	Vanished   int64 `json:"vanished"`
	Changed    int64 `json:"changed"`
	Visible    int64 `json:"visible"`
	Held       int64 `json:"held"`
	Limited    int64 `json:"limited"`
	Suppressed int64 `json:"suppressed"`
	Shown      int64 `json:"shown,omitempty"`
	Spread     []struct {
		Share float64 `json:"share"`
		Nats  float64 `json:"nats"`
	} `json:"spread,omitempty"`
}

// An EarlierClaim is a release before.
type EarlierClaim struct {
	Release    int64       `json:"release"`
	Night      int         `json:"night"`
	When       string      `json:"when"`
	Design     string      `json:"design_sha256"`
	Key        string      `json:"key_id,omitempty"`
	Rows       int64       `json:"rows"`
	Factor     string      `json:"factor"`
	Cumulative FigureClaim `json:"cumulative"`
}

// A PublishedClaim is by which draws this release's rows were published.
type PublishedClaim struct {
	Drawn       int64       `json:"drawn"`
	KeepEarlier bool        `json:"keep_earlier"`
	Held        *ShownClaim `json:"held,omitempty"`
	Repeated    *ShownClaim `json:"repeated,omitempty"`
	Suppressed  *ShownClaim `json:"suppressed,omitempty"`
}

// A ShownClaim is what the report says of rows that are not drawn anew.
type ShownClaim struct {
	Rows      int64    `json:"rows"`
	Visible   int64    `json:"visible"`
	Absent    int64    `json:"absent,omitempty"`
	Factor    string   `json:"factor,omitempty"`
	Nats      float64  `json:"nats,omitempty"`
	Rank      int      `json:"rank,omitempty"`
	Value     *float64 `json:"value,omitempty"`
	Forbidden int64    `json:"forbidden"`
	Outputs   []struct {
		Label  files.Label `json:"label"`
		Rows   int64       `json:"rows"`
		Factor string      `json:"factor,omitempty"`
	} `json:"outputs"`
}

// A FigureClaim is one figure of leakage, and what it holds for.
type FigureClaim struct {
	Factor string  `json:"factor,omitempty"`
	Nats   float64 `json:"nats"`
	Label  string  `json:"label"`
	Rule   string  `json:"rule,omitempty"`
}

// Classes are the kinds of rows that are not drawn anew, by name; nil for
// those that the report has none of.
func (p *PublishedClaim) Classes() map[string]*ShownClaim {
	if p == nil {
		return nil
	}
	return map[string]*ShownClaim{"held": p.Held, "repeated": p.Repeated, "suppressed": p.Suppressed}
}

// Earlier are the rows that are not drawn anew.
func (r *Report) Earlier() int64 {
	return r.classes(func(s *ShownClaim) int64 { return s.Rows })
}

// Absent are those of them that have no value tonight.
func (r *Report) Absent() int64 {
	return r.classes(func(s *ShownClaim) int64 { return s.Absent })
}

// classes adds up a count of the rows that are not drawn anew.
func (r *Report) classes(of func(*ShownClaim) int64) (rows int64) {
	if r.Series == nil {
		return 0
	}
	for _, s := range r.Series.Published.Classes() {
		if s != nil {
			rows += of(s)
		}
	}
	return rows
}

// NoneDrawn reports that the report says that no row was drawn anew.
func (r *Report) NoneDrawn() bool { return r.Earlier() > 0 && r.Series.Published.Drawn == 0 }

// Kept counts records as the report does, which takes the record history to know
// them: rows that repeat or hide something, rows without a value that show an
// earlier output, and rows published as a null.
func (r *Report) Kept() KeptClaim {
	if r.Series == nil || r.Series.Kept == nil {
		return KeptClaim{}
	}
	return *r.Series.Kept
}
