package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A Plan is plan.json as docs/files.md describes it.
type Plan struct {
	Schema  string        `json:"schema"`
	Column  string        `json:"column"`
	Null    string        `json:"null"`
	Inputs  []cells.Label `json:"inputs"`
	Outputs []cells.Label `json:"outputs"`
	Counts  []string      `json:"counts"`
	Epsilon epsilonClaim  `json:"epsilon"`
	Floor   struct {
		Rank       int     `json:"rank"`
		Value      float64 `json:"value"`
		By         string  `json:"by"`
		At         float64 `json:"at"`
		Words      string  `json:"in_words"`
		Asked      string  `json:"asked"`
		NextRank   int     `json:"next_rank"`
		NextFactor string  `json:"next_factor"`
	} `json:"floor"`
	Mechanism struct {
		Kind    string    `json:"kind"`
		Stopped bool      `json:"stopped"`
		Rows    []PlanRow `json:"rows"`
	} `json:"mechanism"`
	Certificate struct {
		Lower string   `json:"lower_factor"`
		Upper string   `json:"upper_factor"`
		Pi    []string `json:"pi"`
	} `json:"certificate"`
	Utility struct {
		Expected   float64 `json:"expected"`
		UpperBound float64 `json:"upper_bound"`
		Gap        float64 `json:"gap"`
		Prefer     string  `json:"prefer"`
		Share      float64 `json:"unchanged"`
		ShareBound float64 `json:"unchanged_upper_bound"`
	} `json:"utility"`
	Order struct {
		Spec   string `json:"spec"`
		Form   string `json:"form"`
		Kind   string `json:"kind"`
		Load   string `json:"load"`
		SHA256 string `json:"sha256"`
		Ties   int    `json:"ties"`
		Extra  int    `json:"extra"`
		Unit   string `json:"unit"`
	} `json:"order"`
	Prior      *planPrior      `json:"prior"`
	Other      *planOther      `json:"other"`
	Population *planPopulation `json:"population"`
	Headroom   *PlanHeadroom   `json:"headroom"`
	Strata     *planStrata     `json:"strata"`
	Design     string          `json:"design_sha256"`
	Plan       string          `json:"plan_sha256"`
}

func (*Plan) format() string { return "tacet.plan/v1" }

// A PlanRow is the law of one input letter.
type PlanRow struct {
	Input   cells.Label `json:"input"`
	Total   string      `json:"total"`
	Outputs []planCell  `json:"outputs"`
}

// A planCell is written [label, weight].
type planCell struct {
	Label  cells.Label
	Weight string
}

// UnmarshalJSON takes the pair apart by hand where the label needs no
// decoding: a plan may hold a million.
func (c *planCell) UnmarshalJSON(data []byte) error {
	at := bytes.LastIndexByte(data, ',')
	if at < 1 || data[0] != '[' {
		return errors.New("no pair")
	}
	label, weight := bytes.TrimSpace(data[1:at]), bytes.TrimSpace(data[at+1:len(data)-1])
	if n := len(weight); n < 2 || weight[0] != '"' || bytes.IndexByte(weight, '\\') >= 0 {
		return errors.New("no weight")
	}
	c.Weight = string(weight[1 : len(weight)-1])
	if n := len(label); n >= 2 && label[0] == '"' && bytes.IndexByte(label, '\\') < 0 && bytes.Count(label, []byte{'"'}) == 2 && utf8.Valid(label) {
		c.Label = cells.Label{Text: string(label[1 : n-1])}
		return nil
	}
	return json.Unmarshal(label, &c.Label)
}
