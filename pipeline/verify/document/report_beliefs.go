package document

import "github.com/tacet-privacy/tacet/pipeline/verify/cells"

// A beliefClaims is what the report says an observer can come to believe.
type beliefClaims struct {
	Target float64 `json:"target_factor"`
	Grid   []struct {
		Share float64 `json:"share"`
		Cap   float64 `json:"cap"`
	} `json:"grid"`
	Caps  []CapClaim `json:"caps"`
	Guess struct {
		Before float64 `json:"before"`
		Mean   float64 `json:"mean"`
		Worst  float64 `json:"worst"`
	} `json:"guess"`
	Story *struct {
		Output cells.Label `json:"output"`
		Guess  cells.Label `json:"guess"`
		Before float64     `json:"before"`
		After  float64     `json:"after"`
		Factor string      `json:"factor"`
	} `json:"story"`
	Becomes *struct {
		Inputs  []string    `json:"inputs"`
		Outputs []string    `json:"outputs"`
		Share   [][]float64 `json:"share"`
	} `json:"transitions"`
	Analysts *struct {
		Letters   int `json:"letters"`
		Rank      int `json:"rank"`
		Estimable int `json:"estimable"`
	} `json:"analysts"`
}

// A CapClaim is how sure an observer can become of a letter.
type CapClaim struct {
	Label   cells.Label `json:"label"`
	Records int64       `json:"records"`
	Share   float64     `json:"share"`
	Cap     float64     `json:"cap"`
	Reached float64     `json:"reached"`
	Certain bool        `json:"certain"`
}
