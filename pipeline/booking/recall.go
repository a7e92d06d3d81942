package booking

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

// A Recall makes the memoised draws a second time, beside the written file: it
// tells which records hold their draw and which repeat or hide something, and
// has the draws that the test against the design is about. Each goroutine has
// one; all of a run share the persons. A nil one stands for fresh draws.
type Recall struct {
	hand    *hand
	Drawn   *estimate.Pairs // that the test against the design is about
	persons *night.Persons  // nil where ids identify records
	told    night.PersonFigures
	held    int64 // rows
	x, y    []int32
}

// NewRecall is nil for fresh draws and for plans without letters.
func NewRecall(p *plan.Plan, m *Memo) *Recall {
	if m == nil || p.Empty() {
		return nil
	}
	return &Recall{hand: m.hand(), persons: m.persons, Drawn: estimate.NewPairs(p.Inputs.Len(), p.Outputs.Len())}
}

// Again gives what must have become of the rows of a batch.
func (r *Recall) Again(b *colfile.Batch) ([]Drawing, error) {
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

// Take compares rows with what was written.
func (r *Recall) Take(drawn []Drawing, letters, out []int32) error {
	r.x, r.y = r.x[:0], r.y[:0]
	for i := range drawn {
		d, x := &drawn[i], letters[i]
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
	r.Drawn.Add(r.x, r.y)
	return nil
}

// Settle ends the second drawing: of a person and letter one draw counts.
func (r *Recall) Settle(p *plan.Plan) error {
	if r.persons == nil {
		return nil
	}
	var err error
	r.told, err = r.persons.Figures(p.Prior, p.Mechanism, func(x, y uint16) {
		r.Drawn.Add([]int32{int32(x)}, []int32{int32(y)})
	})
	if errors.Is(err, night.ErrTorn) {
		return fault.New(fault.Internal, "", "rows of one person with the same letter were drawn apart")
	}
	return err
}

// Merge adds what o counted.
func (r *Recall) Merge(o *Recall) {
	if r == nil {
		return
	}
	r.held += o.held
	r.Drawn.Merge(o.Drawn)
}

// Outside is the number of rows that are outside the floor.
func (r *Recall) Outside() int64 {
	if r == nil {
		return 0
	}
	return r.held
}

// EveryOutput lists all outputs where a record may stand at any, nil where its
// letter's row has them.
func (r *Recall) EveryOutput(p *plan.Plan) []uint16 {
	if r == nil || r.held == 0 {
		return nil
	}
	all := make([]uint16, p.Outputs.Len())
	for y := range all {
		all[y] = uint16(y)
	}
	return all
}

// Checks is what the second drawing has shown.
func (r *Recall) Checks() []report.Check {
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
