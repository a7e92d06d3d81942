package document

// historyClaims is what the report says of the releases before.
type historyClaims struct {
	State  string       `json:"state"`
	Series *SeriesClaim `json:"series"`
	Moved  *struct {
		SHA256   string `json:"sha256"`
		Rows     int64  `json:"rows"`
		Both     int64  `json:"records_in_both"`
		Changed  int64  `json:"changed_letters"`
		New      int64  `json:"new"`
		Vanished int64  `json:"vanished"`
	} `json:"previous_input"`
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
		Spread     []struct {
			Share float64 `json:"share"`
			Nats  float64 `json:"nats"`
		} `json:"spread"`
	} `json:"records"`
	Earlier []struct {
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

// A FigureClaim is one figure of leakage, and what it holds for.
type FigureClaim struct {
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
	Label  string  `json:"label"`
	Rule   string  `json:"rule"`
}

// personClaims is what rows of one person tell together.
type personClaims struct {
	Persons int64   `json:"persons"`
	Several int64   `json:"with_several_rows"`
	Mixed   int64   `json:"with_several_letters"`
	Most    int     `json:"rows_at_most"`
	Factor  string  `json:"factor"`
	Nats    float64 `json:"nats"`
	Bound   bool    `json:"bound"`
}

// Held is the number of rows that repeat or hide something: the report's word,
// since it takes the record history to know them.
func (r *Report) Held() int64 {
	if s := r.History.Series; s != nil && s.Kept != nil {
		return s.Kept.Held
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
