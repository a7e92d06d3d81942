package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// OpenFile is the name of the mechanism in the public folder.
const OpenFile = "mechanism.json"

// OpenSchema names its format.
const OpenSchema = "tacet.mechanism/v1"

// An Open mechanism is what may be published of a plan for those who count its output:
// with the mechanism they can recover the shares of values. It holds no counts.
type Open struct {
	Schema    string               `json:"schema"`
	Column    string               `json:"column"`
	Null      string               `json:"null"`                    // what nulls are, as in Plan
	Design    string               `json:"design"`                  // as it was asked for
	Person    string               `json:"draws_by,omitempty"`      // column whose rows share a draw by value; "" for none
	Held      bool                 `json:"earlier_draws,omitempty"` // some rows may show earlier draws, or none
	Limit     *big.Rat             `json:"max_shift,omitempty"`     // no set of values is off by more of all records
	Withheld  string               `json:"withheld,omitempty"`      // the reason, without anything that the data say
	Inputs    []report.Label       `json:"inputs,omitempty"`
	Outputs   []report.Label       `json:"outputs,omitempty"`
	Rows      []row                `json:"rows,omitempty"` // in the file alone
	Mechanism *mechanism.Mechanism `json:"-"`              // nil where it is withheld
}

// Open is what everybody may see of the plan. The mechanism itself follows from what was
// declared where the design is safe, from the order and the floor; or where the plan is
// Blind. All its values must be declared, too: else it would tell which values occur. A
// mechanism that is limited in what it does to shares was chosen from the counts.
func (p *Plan) Open() *Open {
	o := &Open{Schema: OpenSchema, Column: p.Column, Null: p.Null, Design: p.stated().Design, Limit: p.Limit()}
	safe := o.Design == "safe" && p.Kind == "safe" && p.Other == nil
	blind := p.Blind() && p.Population == nil
	switch {
	case p.Shares != nil:
		o.Withheld = "its shares are limited, so that its rows were chosen from the counts"
	case p.Given.Column != "":
		o.Withheld = "it differs from stratum to stratum"
	case p.Other != nil:
		o.Withheld = "rare values are counted as one, and which they are was chosen from the counts"
	case !safe && !blind:
		o.Withheld = "its rows were chosen from the counts"
	case !p.stated().All:
		o.Withheld = "its values were not all declared, so that it would tell which of them occur"
	default:
		o.Inputs, o.Outputs, o.Mechanism = p.InputLabels(), p.OutputLabels(), p.Groups[0].Mechanism
	}
	return o
}

// Encode is mechanism.json, one row a line.
func (o *Open) Encode() ([]byte, error) {
	b, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("writing the mechanism: %w", err)
	}
	if o.Mechanism == nil {
		return append(b, '\n'), nil
	}
	b = append(bytes.TrimSuffix(b, []byte("}")), ",\"rows\":[\n"...)
	if b, err = appendRows(b, o.Mechanism, o.Inputs, o.Outputs, false); err != nil {
		return nil, fmt.Errorf("writing the mechanism: %w", err)
	}
	return append(b, "]}\n"...), nil
}

// DecodeOpen reads mechanism.json.
func DecodeOpen(data []byte) (*Open, error) {
	o := &Open{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return nil, fmt.Errorf("is not a mechanism: %v", err)
	}
	switch {
	case o.Schema != OpenSchema:
		return nil, fmt.Errorf("is of format %q, not %s", o.Schema, OpenSchema)
	case !nullRule(o.Null):
		return nil, fmt.Errorf("says %q of nulls, which no mechanism says now", o.Null)
	case o.Limit != nil && o.Limit.Sign() < 0:
		return nil, fmt.Errorf("its max_shift is no share")
	case o.Withheld != "":
		return o, nil
	}
	if _, err := letters(o.Inputs); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if _, err := letters(o.Outputs); err != nil {
		return nil, fmt.Errorf("outputs: %w", err)
	}
	var err error
	o.Mechanism, err = restoreRows(o.Rows, o.Inputs, o.Outputs)
	o.Rows = nil
	return o, err
}
