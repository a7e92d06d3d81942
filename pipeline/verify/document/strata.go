package document

import "github.com/tacet-privacy/tacet/pipeline/verify/cells"

// A planStrata is there where the promise holds given a column.
type planStrata struct {
	Of       string         `json:"of"`
	Function string         `json:"function"`
	Least    string         `json:"min"`
	Rule     string         `json:"rule"`
	Tried    []weighedClaim `json:"tried"`
	Groups   []struct {
		Names    []cells.Label `json:"strata"`
		Rest     bool          `json:"rest"`
		Counts   []string      `json:"counts"`
		Law      int           `json:"mechanism"`
		Factor   string        `json:"factor"`
		Nats     float64       `json:"nats"`
		Rank     int           `json:"rank"`
		Value    float64       `json:"value"`
		Expected float64       `json:"expected"`
	} `json:"groups"`
	Laws [][]PlanRow `json:"mechanisms"`
}

// A weighedClaim is a design that was compared with others.
type weighedClaim struct {
	Rule     string  `json:"rule"`
	Found    bool    `json:"found"`
	Rank     int     `json:"rank"`
	Value    float64 `json:"value"`
	Expected float64 `json:"expected"`
}

// A strataClaim is what the report says of strata.
type strataClaim struct {
	Column   string         `json:"column"`
	Function string         `json:"function"`
	Min      int64          `json:"min"`
	Merged   int            `json:"merged"`
	Rule     string         `json:"rule"`
	Overall  string         `json:"overall_factor"`
	Nats     float64        `json:"overall_nats"`
	Tried    []weighedClaim `json:"tried"`
	Groups   []struct {
		Names    []cells.Label `json:"strata"`
		Rest     bool          `json:"rest"`
		Records  int64         `json:"records"`
		Letters  int           `json:"letters"`
		Written  int64         `json:"written"`
		Factor   string        `json:"factor"`
		Nats     float64       `json:"nats"`
		Output   cells.Label   `json:"output"`
		Rank     int           `json:"rank"`
		Value    float64       `json:"value"`
		Expected float64       `json:"expected"`
	} `json:"groups"`
}
