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
	Reserved   FigureClaim     `json:"reserved"`
	Cumulative FigureClaim     `json:"cumulative"`
	Kept       *KeptClaim      `json:"records,omitempty"`
	Published  *PublishedClaim `json:"published,omitempty"`
	Earlier    []EarlierClaim  `json:"earlier,omitempty"`
	Limits     []string        `json:"not_covered"`
}

// A KeptClaim counts records by what was published of them.
type KeptClaim struct {
	Records  int64 `json:"known"`
	New      int64 `json:"new"`
	Vanished int64 `json:"vanished"`
	Changed  int64 `json:"changed"`
	Visible  int64 `json:"visible"`
	Spread   []struct {
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
	Drawn int64       `json:"drawn"`
	Held  *ShownClaim `json:"held,omitempty"`
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

// Held is what the report says of rows that are not drawn anew, nil where it has none.
func (r *Report) Held() *ShownClaim {
	if r.Series == nil || r.Series.Published == nil {
		return nil
	}
	return r.Series.Published.Held
}

// Earlier are the rows that are not drawn anew.
func (r *Report) Earlier() int64 {
	if h := r.Held(); h != nil {
		return h.Rows
	}
	return 0
}

// Absent are those of them that have no value tonight.
func (r *Report) Absent() int64 {
	if h := r.Held(); h != nil {
		return h.Absent
	}
	return 0
}

// Hidden are those of them that show a null that is no output of the plan.
func (v *View) Hidden() (rows int64) {
	if h := v.Report.Held(); h != nil && !v.NullOutput() {
		for _, o := range h.Outputs {
			if o.Label.Null {
				rows += o.Rows
			}
		}
	}
	return rows
}

// NoneDrawn reports that the report says that no row was drawn anew.
func (r *Report) NoneDrawn() bool { return r.Earlier() > 0 && r.Series.Published.Drawn == 0 }
