package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// OpenFile is the name of the mechanism in the public folder.
const OpenFile = "mechanism.json"

// OpenSchema names its format.
const OpenSchema = "tacet.mechanism/v1"

// An Open mechanism is what may be published of a plan for those who count its output:
// with the mechanism they can recover the shares of values. It holds no counts.
type Open struct {
	Column    string
	Null      string // what nulls are, as in Plan
	Inputs    utility.Letters
	Outputs   utility.Letters
	Mechanism *mechanism.Mechanism // nil where it is withheld
	Withheld  string               // the reason, without anything that the data say
	Design    string               // as it was asked for
	Person    string               // column whose rows with the same value share a draw; "" for none
	Limit     *big.Rat             // no set of published values is off by more of all records; nil for no limit
	Held      bool                 // some rows may show earlier draws, or none
}

// openFile is mechanism.json.
type openFile struct {
	Schema   string         `json:"schema"`
	Column   string         `json:"column"`
	Null     string         `json:"null"`
	Design   string         `json:"design"`
	Person   string         `json:"draws_by,omitempty"`
	Held     bool           `json:"earlier_draws,omitempty"`
	Limit    string         `json:"max_shift,omitempty"` // p/q
	Withheld string         `json:"withheld,omitempty"`
	Inputs   []report.Label `json:"inputs,omitempty"`
	Outputs  []report.Label `json:"outputs,omitempty"`
	Rows     []row          `json:"rows,omitempty"`
}

// Open is what everybody may see of the plan. The mechanism itself follows from what was
// declared where the design is safe, from the order and the floor; or where the plan is
// Blind. All its values must be declared, too: else it would tell which values occur. A
// mechanism that is limited in what it does to shares was chosen from the counts.
func (p *Plan) Open() *Open {
	o := &Open{Column: p.Column, Null: p.Null, Design: p.stated().Design, Limit: p.Limit()}
	safe := o.Design == "safe" && p.Kind == "safe" && p.Other == nil
	blind := p.Blind() && p.Population == nil && p.Wanted == ""
	switch {
	case p.Shares != nil:
		o.Withheld = "its shares are limited, so that its rows were chosen from the counts"
	case p.Given.Column != "":
		o.Withheld = "it differs from stratum to stratum"
	case p.Other != nil:
		o.Withheld = "rare values are treated alike, and which they are was chosen from the counts"
	case !safe && !blind:
		o.Withheld = "its rows were chosen from the counts"
	case !p.stated().All:
		o.Withheld = "its values were not all declared, so that it would tell which of them occur"
	default:
		o.Inputs, o.Outputs, o.Mechanism = p.Inputs, p.Outputs, p.Groups[0].Mechanism
	}
	return o
}

// Encode is mechanism.json, one row a line.
func (o *Open) Encode() ([]byte, error) {
	f := openFile{Schema: OpenSchema, Column: o.Column, Null: o.Null, Design: o.Design, Person: o.Person, Held: o.Held,
		Withheld: o.Withheld}
	if o.Limit != nil {
		f.Limit = o.Limit.RatString()
	}
	if o.Mechanism != nil {
		f.Inputs = report.Labels(o.Inputs.Label, o.Inputs.Null)
		f.Outputs = report.Labels(o.Outputs.Label, o.Outputs.Null)
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("writing the mechanism: %w", err)
	}
	if o.Mechanism == nil {
		return append(b, '\n'), nil
	}
	b = append(bytes.TrimSuffix(b, []byte("}")), ",\"rows\":[\n"...)
	if b, err = appendRows(b, o.Mechanism, f.Inputs, f.Outputs); err != nil {
		return nil, fmt.Errorf("writing the mechanism: %w", err)
	}
	return append(b, "]}\n"...), nil
}

// DecodeOpen reads mechanism.json.
func DecodeOpen(data []byte) (*Open, error) {
	var f openFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("is not a mechanism: %v", err)
	}
	if f.Schema != OpenSchema {
		return nil, fmt.Errorf("is of format %q, not %s", f.Schema, OpenSchema)
	}
	if !nullRule(f.Null) {
		return nil, fmt.Errorf("says %q of nulls, which no mechanism says now", f.Null)
	}
	o := &Open{Column: f.Column, Null: f.Null, Design: f.Design, Person: f.Person, Held: f.Held, Withheld: f.Withheld}
	if f.Limit != "" {
		limit, ok := new(big.Rat).SetString(f.Limit)
		if !ok || limit.Sign() < 0 {
			return nil, fmt.Errorf("its max_shift is no share")
		}
		o.Limit = limit
	}
	if o.Withheld != "" {
		return o, nil
	}
	var err error
	if o.Inputs, err = letters(f.Inputs); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if o.Outputs, err = letters(f.Outputs); err != nil {
		return nil, fmt.Errorf("outputs: %w", err)
	}
	o.Mechanism, err = restoreRows(f.Rows, f.Inputs, f.Outputs)
	return o, err
}
