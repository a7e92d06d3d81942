package document

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// historyClaims is what the report says of the releases before.
type historyClaims struct {
	State  string       `json:"state"`
	Series *SeriesClaim `json:"series"`
}

// A SeriesClaim is what the report says of the series that the release is of.
type SeriesClaim struct {
	Ledger     string      `json:"ledger"`
	Head       string      `json:"head"`
	Dataset    string      `json:"dataset"`
	Population string      `json:"population"`
	Release    int64       `json:"release"`
	Night      int         `json:"night"`
	Again      bool        `json:"again"`
	Names      string      `json:"names_key_id"`
	Budget     string      `json:"total_epsilon"`
	OnChange   string      `json:"on_change"`
	OverBudget string      `json:"over_budget"`
	Reserved   FigureClaim `json:"reserved"`
	Cumulative FigureClaim `json:"cumulative"`
	Kept       *struct {
		Records    int64 `json:"known"`
		New        int64 `json:"new"`
		Vanished   int64 `json:"vanished"`
		Changed    int64 `json:"changed"`
		Visible    int64 `json:"visible"`
		Held       int64 `json:"held"`
		Limited    int64 `json:"limited"`
		Suppressed int64 `json:"suppressed"`
		Shown      int64 `json:"shown"`
		Spread     []struct {
			Share float64 `json:"share"`
			Nats  float64 `json:"nats"`
		} `json:"spread"`
	} `json:"records"`
	Published *PublishedClaim `json:"published"`
	Earlier   []struct {
		Release    int64       `json:"release"`
		Night      int         `json:"night"`
		When       string      `json:"when"`
		Design     string      `json:"design_sha256"`
		Key        string      `json:"key_id"`
		Rows       int64       `json:"rows"`
		Factor     string      `json:"factor"`
		Cumulative FigureClaim `json:"cumulative"`
	} `json:"earlier"`
	Limits []string `json:"not_covered"`
}

// A PublishedClaim is by which draws tonight's rows were published.
type PublishedClaim struct {
	Drawn       int64       `json:"drawn"`
	KeepEarlier bool        `json:"keep_earlier"`
	Held        *ShownClaim `json:"held"`
	Repeated    *ShownClaim `json:"repeated"`
	Suppressed  *ShownClaim `json:"suppressed"`
}

// A ShownClaim is what the report says of rows that are not drawn tonight.
type ShownClaim struct {
	Rows      int64    `json:"rows"`
	Visible   int64    `json:"visible"`
	Absent    int64    `json:"absent"`
	Factor    string   `json:"factor"`
	Nats      float64  `json:"nats"`
	Rank      int      `json:"rank"`
	Value     *float64 `json:"value"`
	Forbidden int64    `json:"forbidden"`
	Outputs   []struct {
		Label  files.Label `json:"label"`
		Rows   int64       `json:"rows"`
		Factor string      `json:"factor"`
	} `json:"outputs"`
}

// A FigureClaim is one figure of leakage, and what it holds for.
type FigureClaim struct {
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
	Label  string  `json:"label"`
	Rule   string  `json:"rule"`
}

// personClaims is what rows of one person tell together.
type personClaims struct {
	Persons int64    `json:"persons"`
	Several int64    `json:"with_several_rows"`
	Mixed   int64    `json:"with_several_letters"`
	Most    int      `json:"rows_at_most"`
	Factor  string   `json:"factor"`
	Nats    *float64 `json:"nats"`
	Bound   *bool    `json:"bound"`
}

// Classes are the kinds of rows that are not drawn tonight, by name; nil for
// those that the report has none of.
func (p *PublishedClaim) Classes() map[string]*ShownClaim {
	if p == nil {
		return nil
	}
	return map[string]*ShownClaim{"held": p.Held, "repeated": p.Repeated, "suppressed": p.Suppressed}
}

// Earlier are the rows that are not drawn tonight.
func (r *Report) Earlier() (rows int64) {
	if r.History.Series == nil {
		return 0
	}
	for _, s := range r.History.Series.Published.Classes() {
		if s != nil {
			rows += s.Rows
		}
	}
	return rows
}

// Absent are those of them that have no value tonight.
func (r *Report) Absent() (rows int64) {
	if r.Earlier() == 0 {
		return 0
	}
	for _, s := range r.History.Series.Published.Classes() {
		if s != nil {
			rows += s.Absent
		}
	}
	return rows
}

// NoneDrawn reports that the report says that no row was drawn tonight.
func (r *Report) NoneDrawn() bool { return r.Earlier() > 0 && r.History.Series.Published.Drawn == 0 }

// Held is the number of rows that repeat or hide something: the report's word,
// since it takes the record history to know them.
func (r *Report) Held() int64 {
	if s := r.History.Series; s != nil && s.Kept != nil {
		return s.Kept.Held
	}
	return 0
}

// Shown is the number of rows without a value that show an earlier output.
func (r *Report) Shown() int64 {
	if s := r.History.Series; s != nil && s.Kept != nil {
		return s.Kept.Shown
	}
	return 0
}

// Suppressed is the number of rows published as a null, likewise.
func (r *Report) Suppressed() int64 {
	if s := r.History.Series; s != nil && s.Kept != nil {
		return s.Kept.Suppressed
	}
	return 0
}
