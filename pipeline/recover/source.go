package recover

import (
	"encoding/json"
	"math"
	"os"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A source is what is known of how the column was made.
type source struct {
	laws            []*mechanism.Mechanism // one, or one by group of strata; nil where there is none
	strata          string                 // that groups are of; "" where one mechanism drew all rows
	group           func(report.Label) int32
	inputs, outputs []report.Label
	null            string   // what nulls are; "" where it is not known
	person          string   // column whose rows share draws; "" for none or where it is not known
	limit           *float64 // how far a share of all rows may be off; nil where nothing limits it
	held            bool     // rows may show what the mechanism did not draw
	internal        bool     // it comes from a plan
}

// load reads --mechanism, which is a plan or a published mechanism.
func load(q *question) (*source, error) {
	path := q.Mechanism
	if path == "" {
		return &source{}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--mechanism", path, err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(data, &head) == nil && head.Schema == plan.Schema {
		return ofPlan(q, path)
	}
	m, err := plan.DecodeOpen(data)
	if err != nil {
		return nil, &fault.Fault{Class: fault.Input, What: path + ": " + err.Error(),
			Hint: "give public/mechanism.json of a release, or plan.json", Err: err}
	}
	s := &source{null: m.Null, person: m.Person, held: m.Held}
	if err := sameColumn(q, path, m.Column); err != nil {
		return nil, err
	}
	if m.Limit != nil {
		above, exact := m.Limit.Float64()
		if !exact {
			above = math.Nextafter(above, 1)
		}
		s.limit = &above
	}
	if m.Mechanism == nil {
		if q.Method != request.Counted {
			return nil, fault.New(fault.Input, "choose --method count, or ask the publisher for an estimate",
				"%s: the mechanism is withheld: %s", path, m.Withheld)
		}
		return s, nil
	}
	s.laws, s.inputs, s.outputs = []*mechanism.Mechanism{m.Mechanism}, m.Inputs, m.Outputs
	return s, nil
}

// ofPlan is the mechanism of a plan.
func ofPlan(q *question, path string) (*source, error) {
	p, err := decide.LoadPlan(path)
	if err != nil {
		return nil, err
	}
	if err := sameColumn(q, path, p.Column); err != nil {
		return nil, err
	}
	if p.Empty() {
		return nil, fault.New(fault.Input, "there is nothing to recover", "%s holds no values", path)
	}
	s := &source{inputs: p.InputLabels(), outputs: p.OutputLabels(), null: p.Null, internal: true}
	if s.laws, _ = p.Laws(); len(s.laws) == 1 || q.Method == request.Counted {
		return s, nil // strata say no more
	}
	s.laws, s.strata, s.group = nil, p.Given.Column, p.GroupOf()
	for _, g := range p.Groups {
		s.laws = append(s.laws, g.Mechanism)
	}
	return s, nil
}

func sameColumn(q *question, path, column string) error {
	if column != q.column {
		return fault.New(fault.Input, "give the mechanism of this column, or --column "+report.Shell(column),
			"%s is the mechanism of column %q, not of %q", path, column, q.column)
	}
	return nil
}
