package document

// A Public is public/report.json as docs/files.md describes it: it holds
// nothing that tells of counts, so little of it can be recomputed.
type Public struct {
	Schema  string        `json:"schema"`
	Version string        `json:"version"`
	Stamp   string        `json:"stamp"`
	About   *aboutClaim   `json:"about"`
	Claims  []Claim       `json:"claims"`
	Column  string        `json:"column"`
	Given   string        `json:"given"`
	Rows    int64         `json:"rows"`
	Columns []ColumnClaim `json:"columns"`
	Dropped []string      `json:"dropped"`
	Kept    bool          `json:"kept"`
	Domain  struct {
		Rule     string `json:"rule"`
		Declared int    `json:"declared"`
		Null     string `json:"null"`
		Other    *struct {
			Label    string `json:"label"`
			MinCount int64  `json:"min_count"`
		} `json:"other"`
	} `json:"domain"`
	Order struct {
		Form string `json:"form"`
		Spec string `json:"spec"`
	} `json:"order"`
	Declared []SourceClaim `json:"declared"`
	Target   string        `json:"target"`
	Factor   float64       `json:"target_factor"`
	Floor    struct {
		Declared string `json:"declared"`
		Rank     int    `json:"rank"`
		Of       int    `json:"of"`
		Words    string `json:"in_words"`
	} `json:"floor"`
	Design string      `json:"design"`
	Grid   []GridClaim `json:"grid"`
	Draws  DrawsClaim  `json:"randomness"`
	Output struct {
		Name string `json:"name"`
		FileClaim
	} `json:"output"`
	Changes []ChangeClaim `json:"difference"`
}

func (*Public) format() string { return PublicFormat }

// PublicFormat is what public reports name themselves.
const PublicFormat = "tacet.public-report/v1"

// A GridClaim is the cap of a round share.
type GridClaim = struct {
	Share float64 `json:"share"`
	Cap   float64 `json:"cap"`
}
