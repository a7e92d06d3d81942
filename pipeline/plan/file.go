package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// maxCells is the size above which rows are left out of plan.json: those of a safe
// design follow from order.csv and the floor, others stand in WeightsFile.
const maxCells = 1_000_000

// file is plan.json. Integers that may pass 2^53 are strings.
type file struct {
	Schema     string         `json:"schema"`
	Column     string         `json:"column"`
	Null       string         `json:"null"`
	Bins       *binsFile      `json:"bins,omitempty"`
	Inputs     []report.Label `json:"inputs"`
	Outputs    []report.Label `json:"outputs"`
	Counts     []string       `json:"counts"`
	Epsilon    report.Epsilon `json:"epsilon"`
	Floor      floor          `json:"floor"`
	Design     designFile     `json:"design"`
	Proof      certificate    `json:"certificate"`
	Utility    utilityFile    `json:"utility"`
	Order      OrderSpec      `json:"order"`
	Prior      *priorFile     `json:"prior,omitempty"`
	Other      *Other         `json:"other,omitempty"`
	Population *Population    `json:"population,omitempty"`
	Stated     *Stated        `json:"stated,omitempty"`
	Headroom   *headroomFile  `json:"headroom,omitempty"`
	Shares     *sharesFile    `json:"shares,omitempty"`
	Given      *Given         `json:"strata,omitempty"`
	Groups     []groupFile    `json:"groups"`
	Laws       []lawFile      `json:"mechanisms"`
	DesignHash string         `json:"design_sha256"`
	Hash       string         `json:"plan_sha256"`
}

type floor struct {
	Rank       int     `json:"rank"`
	Value      float64 `json:"value"`
	By         string  `json:"by"` // "rank" or "value": what at is
	At         float64 `json:"at"` // the floor that shaped the support
	Words      string  `json:"in_words"`
	Asked      string  `json:"asked"`
	NextRank   int     `json:"next_rank,omitempty"`
	NextFactor string  `json:"next_factor,omitempty"`
}

type designFile struct {
	Kind    string `json:"kind"`
	Stopped bool   `json:"stopped,omitempty"` // time, not proof, ended the search
}

// lawFile is a mechanism: by one of the members, or none where a safe design follows from
// order and floor.
type lawFile struct {
	Rows    []row  `json:"rows,omitempty"`
	Blocks  []row  `json:"blocks,omitempty"`         // rows that letters share, where they are many
	Weights string `json:"weights_sha256,omitempty"` // of WeightsFile, which has the rows
}

type row struct {
	Input   report.Label   `json:"input"`
	Inputs  []report.Label `json:"inputs,omitempty"` // of a block, instead of input
	Total   string         `json:"total"`
	Outputs cells          `json:"outputs"`
}

type certificate struct {
	Lower string   `json:"lower_factor"`
	Upper string   `json:"upper_factor"`
	Pi    []string `json:"pi,omitempty"`
	// Prices were a proof of two priors together, which is neither made nor read.
	Prices json.RawMessage `json:"prices,omitempty"`
}

type utilityFile struct {
	Expected   float64 `json:"expected"`
	UpperBound float64 `json:"upper_bound"`
	Gap        float64 `json:"gap,omitempty"`
	Prefer     string  `json:"prefer,omitempty"`
	Share      float64 `json:"unchanged,omitempty"`
	ShareBound float64 `json:"unchanged_upper_bound,omitempty"`
}

// Encode returns plan.json, one row of the mechanism a line, and sets p.Hash.
// plan_sha256 is the last member; it is the SHA-256 of all bytes of the file
// before its key.
func (p *Plan) Encode() ([]byte, error) {
	f := file{
		Schema: Schema, Column: p.Column, Null: p.Null, Bins: p.binsFile(),
		Inputs: p.InputLabels(), Outputs: p.OutputLabels(), Counts: []string{},
		Epsilon: report.Epsilon{Target: p.Target, Asked: p.Wanted, Least: p.Least, Factor: p.Factor().RatString(),
			Nats: mechanism.Nats(p.Factor())},
		Floor:      floor{Rank: p.Rank, Value: p.Value, Words: p.Words, Asked: p.Asked, NextRank: p.NextRank},
		Design:     designFile{p.Kind, p.Stopped},
		Proof:      certificate{Lower: p.Lower.RatString(), Upper: p.Upper.RatString(), Pi: report.Counts(p.Pi)},
		Utility:    utilityFile{p.Expected, p.UpperBound, p.Gap, p.Prefer, p.Share, p.ShareBound},
		Order:      p.Spec,
		Population: p.Population,
		Stated:     p.Stated,
		Headroom:   p.headroomFile(),
		Shares:     p.sharesFile(),
		Prior:      p.priorFile(),
		Other:      p.Other,
		Given:      p.given(),
		Groups:     p.groupFiles(),
		DesignHash: p.DesignHash,
	}
	f.Floor.By, f.Floor.At = "rank", float64(p.Floor.Rank)
	if p.Floor.ByValue {
		f.Floor.By, f.Floor.At = "value", p.Floor.Value
	}
	if p.NextFactor != nil {
		f.Floor.NextFactor = p.NextFactor.RatString()
	}
	if !p.Empty() {
		f.Counts = report.Counts(p.Prior.Counts())
	}
	b, err := f.append(nil, p)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	sum := sha256.Sum256(b)
	p.Hash = hex.EncodeToString(sum[:])
	return fmt.Appendf(b, "\"plan_sha256\": %q\n}\n", p.Hash), nil
}

// append puts every member but plan_sha256 on a line of its own.
func (f *file) append(to []byte, p *Plan) ([]byte, error) {
	to = append(to, "{\n"...)
	for _, m := range []struct {
		name  string
		value any
	}{
		{"schema", f.Schema}, {"column", f.Column}, {"null", f.Null}, {"bins", f.Bins}, {"inputs", f.Inputs},
		{"outputs", f.Outputs},
		{"counts", f.Counts}, {"epsilon", f.Epsilon}, {"floor", f.Floor}, {"design", f.Design}, {"certificate", f.Proof},
		{"utility", f.Utility}, {"order", f.Order}, {"prior", f.Prior}, {"other", f.Other}, {"population", f.Population},
		{"stated", f.Stated},
		{"headroom", f.Headroom}, {"shares", f.Shares}, {"strata", f.Given}, {"groups", f.Groups}, {"mechanisms", nil},
		{"design_sha256", f.DesignHash},
	} {
		at, err := len(to), error(nil)
		if to = fmt.Appendf(to, "%q: ", m.name); m.name == "mechanisms" {
			to, err = p.appendLaws(to, f.Inputs, f.Outputs)
		} else {
			var data []byte
			if data, err = json.Marshal(m.value); string(data) == "null" {
				to = to[:at]
				continue
			}
			to = append(to, data...)
		}
		if err != nil {
			return nil, err
		}
		to = append(to, ",\n"...)
	}
	return to, nil
}
