package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"

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
	Counts     numbers        `json:"counts"`
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
	Shares     *Shares        `json:"shares,omitempty"`
	Given      *Given         `json:"strata,omitempty"`
	Groups     []groupFile    `json:"groups"`
	Laws       []lawFile      `json:"mechanisms"`
	DesignHash string         `json:"design_sha256"`
	Hash       string         `json:"plan_sha256"`
}

type floor struct {
	Rank       int      `json:"rank"`
	Value      float64  `json:"value"`
	By         string   `json:"by"` // "rank" or "value": what at is
	At         float64  `json:"at"` // the floor that shaped the support
	Words      string   `json:"in_words"`
	Asked      string   `json:"asked"`
	NextRank   int      `json:"next_rank,omitempty"`
	NextFactor *big.Rat `json:"next_factor,omitempty"`
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
	Lower *big.Rat `json:"lower_factor"`
	Upper *big.Rat `json:"upper_factor"`
	Pi    numbers  `json:"pi,omitempty"`
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
		Inputs: p.InputLabels(), Outputs: p.OutputLabels(),
		Epsilon: report.Epsilon{Target: p.Target, Factor: p.Factor().RatString(),
			Nats: mechanism.Nats(p.Factor())},
		Floor: floor{Rank: p.Rank, Value: p.Value, Words: p.Words, Asked: p.Asked, NextRank: p.NextRank,
			NextFactor: p.NextFactor},
		Design:     designFile{p.Kind, p.Stopped},
		Proof:      certificate{Lower: p.Lower, Upper: p.Upper, Pi: p.Pi},
		Utility:    utilityFile{p.Expected, p.UpperBound, p.Gap, p.Prefer, p.Share, p.ShareBound},
		Order:      p.Spec,
		Population: p.Population,
		Stated:     p.Stated,
		Headroom:   p.headroomFile(),
		Shares:     p.Shares,
		Prior:      p.priorFile(),
		Other:      p.Other,
		Given:      p.given(),
		Groups:     p.groupFiles(),
		DesignHash: p.DesignHash,
	}
	if f.Floor.By, f.Floor.At = "rank", at(p.Floor); p.Floor.ByValue {
		f.Floor.By = "value"
	}
	if !p.Empty() {
		f.Counts = p.Prior.Counts()
	}
	b, err := f.append(nil, p)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	sum := sha256.Sum256(b)
	p.Hash = hex.EncodeToString(sum[:])
	return fmt.Appendf(b, "\"plan_sha256\": %q\n}\n", p.Hash), nil
}

// at is a floor as a number of its kind.
func at(f mechanism.Floor) float64 {
	if f.ByValue {
		return f.Value
	}
	return float64(f.Rank)
}

// append puts every member but plan_sha256 on a line of its own.
func (f *file) append(to []byte, p *Plan) ([]byte, error) {
	to = append(to, "{\n"...)
	members := reflect.ValueOf(f).Elem()
	for m := range members.Type().Fields() {
		name, _, _ := strings.Cut(m.Tag.Get("json"), ",")
		var data []byte
		var err error
		switch m.Name {
		case "Hash":
			continue
		case "Laws":
			data, err = p.appendLaws(nil, f.Inputs, f.Outputs)
		default:
			data, err = json.Marshal(members.FieldByIndex(m.Index).Interface())
		}
		if err != nil {
			return nil, err
		}
		if string(data) != "null" {
			to = append(append(fmt.Appendf(to, "%q: ", name), data...), ",\n"...)
		}
	}
	return to, nil
}
