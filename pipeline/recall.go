package pipeline

import (
	"errors"
	"fmt"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/night"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A recall makes the memoised draws a second time, beside the written file: it
// tells which records hold their draw and which repeat or hide something, and
// has the draws that the test against the design is about. Each goroutine has
// one; all of a run share the persons. A nil one stands for fresh draws.
type recall struct {
	hand    *hand
	drawn   *estimate.Pairs
	persons *night.Persons // nil where ids identify records
	told    night.PersonFigures
	held    int64 // rows
	x, y    []int32
}

func newRecall(p *plan.Plan, m *memo) *recall {
	if m == nil || p.Empty() {
		return nil
	}
	return &recall{hand: m.hand(), persons: m.persons, drawn: estimate.NewPairs(p.Inputs.Len(), p.Outputs.Len())}
}

// again gives what must have become of the rows of a batch.
func (r *recall) again(b *colfile.Batch) ([]drawing, error) {
	if r == nil {
		return nil, nil
	}
	drawn, err := r.hand.rows(b, nil)
	if err != nil || r.persons == nil {
		return drawn, err
	}
	for i, x := range b.Letters[0] {
		if x >= 0 {
			r.hand.fill(b, r.hand.m.drawn, i)
			r.persons.Add(r.hand.namer.Name(&r.hand.id), uint16(x), uint16(drawn[i].drawn), drawn[i].Fits)
		}
	}
	return drawn, nil
}

// take compares rows with what was written.
func (r *recall) take(b block, out []int32) error {
	r.x, r.y = r.x[:0], r.y[:0]
	for i := range b.drawing {
		d, x := &b.drawing[i], b.letters[i]
		if out[i] != d.Output {
			return fault.New(fault.Internal, "", "the written file does not hold what was drawn")
		}
		if d.Held {
			r.held++
		}
		if d.Fits && x >= 0 && r.persons == nil {
			r.x, r.y = append(r.x, x), append(r.y, d.drawn)
		}
	}
	r.drawn.Add(r.x, r.y)
	return nil
}

// settle ends the second drawing: of a person and letter one draw counts.
func (r *recall) settle(p *plan.Plan) error {
	if r.persons == nil {
		return nil
	}
	var err error
	r.told, err = r.persons.Figures(p.Prior, p.Mechanism, func(x, y uint16) {
		r.drawn.Add([]int32{int32(x)}, []int32{int32(y)})
	})
	if errors.Is(err, night.ErrTorn) {
		return fault.New(fault.Internal, "", "rows of one person with the same letter were drawn apart")
	}
	return err
}

func (r *recall) merge(o *recall) {
	if r == nil {
		return
	}
	r.held += o.held
	r.drawn.Merge(o.drawn)
}

// outside is the number of rows that are outside the floor.
func (r *recall) outside() int64 {
	if r == nil {
		return 0
	}
	return r.held
}

// everyOutput lists all outputs where a record may stand at any, nil where its
// letter's row has them.
func (r *recall) everyOutput(p *plan.Plan) []uint16 {
	if r == nil || r.held == 0 {
		return nil
	}
	all := make([]uint16, p.Outputs.Len())
	for y := range all {
		all[y] = uint16(y)
	}
	return all
}

// checks is what the second drawing has shown.
func (r *recall) checks() []report.Check {
	if r == nil {
		return nil
	}
	what := "every record holds what key, plan and id give"
	if r.hand.m.unit == draw.Person {
		what = "every record holds what key, plan and person give, and rows of one person and letter are one draw in the fit"
	}
	if r.held > 0 {
		what += fmt.Sprintf("; %d repeat or hide something by the history and are outside the floor", r.held)
	}
	return []report.Check{{Name: "draws", Passed: true, Detail: what}}
}
