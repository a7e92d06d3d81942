package document

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// An ObservedClaim is what one output tells three observers.
type ObservedClaim struct {
	Known        string  `json:"given_factor"`
	KnownNats    float64 `json:"given_nats"`
	Overall      string  `json:"overall_factor"`
	OverallNats  float64 `json:"overall_nats"`
	Together     string  `json:"together_factor"`
	TogetherNats float64 `json:"together_nats"`
	Alone        string  `json:"alone_factor"`
	AloneNats    float64 `json:"alone_nats"`
}

// A strataClaim is what the report says of strata.
type strataClaim struct {
	Column   string `json:"column"`
	Function string `json:"function"`
	Shown    bool   `json:"published"`
	Only     bool   `json:"given_only"`
	Min      int64  `json:"min"`
	Merged   int    `json:"merged"`
	Rule     string `json:"rule"`
	ObservedClaim
	Own     *ObservedClaim `json:"own"`
	Unaware *BeliefsClaim  `json:"unaware"`
	Tried   []weighedClaim `json:"tried"`
	Groups  []struct {
		Names    []files.Label `json:"strata"`
		Rest     bool          `json:"rest"`
		Records  int64         `json:"records"`
		Letters  int           `json:"letters"`
		Written  int64         `json:"written"`
		Factor   string        `json:"factor"`
		Nats     float64       `json:"nats"`
		Output   files.Label   `json:"output"`
		Rank     int           `json:"rank"`
		Value    float64       `json:"value"`
		Expected float64       `json:"expected"`
		Counts   []string      `json:"counts"`
	} `json:"groups"`
}
