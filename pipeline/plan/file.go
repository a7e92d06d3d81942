package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	Floor      KeptFloor      `json:"floor"`
	Design     Design         `json:"design"`
	Proof      Bracket        `json:"certificate"`
	Utility    Worth          `json:"utility"`
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

// Encode returns plan.json, one row of the mechanism a line, and sets p.Hash.
// plan_sha256 is the last member; it is the SHA-256 of all bytes of the file
// before its key.
func (p *Plan) Encode() ([]byte, error) {
	f := file{
		Schema: Schema, Column: p.Column, Null: p.Null, Bins: p.binsFile(),
		Inputs: p.InputLabels(), Outputs: p.OutputLabels(),
		Epsilon: report.Epsilon{Target: p.Target, Factor: p.Factor().RatString(),
			Nats: mechanism.Nats(p.Factor())},
		Floor:      p.KeptFloor,
		Design:     p.Design,
		Proof:      p.Bracket,
		Utility:    p.Worth,
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
