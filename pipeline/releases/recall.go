package releases

import (
	"fmt"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism/draw"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Recall counts the memoised draws, which the test against the design is about,
// and the records that show something else than their draw. Each goroutine has one;
// all of a run share the persons. Of fresh draws it counts nothing.
type Recall struct {
	m       *Memo
	p       *plan.Plan
	Drawn   *estimate.Pairs
	told    *report.Persons // nil until all are counted
	held    held
	visible int64 // rows whose change is visible
	x, y    []int32
}

// NewRecall counts fresh draws, and those of plans without letters, as none.
func NewRecall(p *plan.Plan, m *Memo) *Recall {
	if m == nil || p.Empty() {
		return &Recall{}
	}
	return &Recall{m: m, p: p, Drawn: estimate.NewPairs(p.Inputs.Len(), p.Outputs.Len()), held: newHeld()}
}

// Fresh reports whether no draw is memoised.
func (r *Recall) Fresh() bool { return r.m == nil }

// Take counts rows with these letters.
func (r *Recall) Take(drawn []Drawing, letters []int32) {
	if r.Fresh() {
		return
	}
	r.x, r.y = r.x[:0], r.y[:0]
	for i := range drawn {
		d, x := &drawn[i], letters[i]
		if d.Held {
			r.held.take(d, x)
		}
		if d.Visible {
			r.visible++
		}
		if x >= 0 && r.m.persons == nil {
			r.x, r.y = append(r.x, x), append(r.y, d.drawn)
		}
	}
	r.Drawn.Add(r.x, r.y)
}

// Settle ends the count: of a person and letter one draw counts.
func (r *Recall) Settle(p *plan.Plan) error {
	if r.Fresh() || r.m.persons == nil {
		return nil
	}
	var err error
	r.told, err = personsOf(r.m.persons, p.Prior, p.Mechanism(), func(x, y uint16) {
		r.Drawn.Add([]int32{int32(x)}, []int32{int32(y)})
	})
	return err
}

// Merge adds what o counted.
func (r *Recall) Merge(o *Recall) {
	if r.Fresh() {
		return
	}
	r.held.merge(&o.held)
	r.visible += o.visible
	r.Drawn.Merge(o.Drawn)
}

// Outside is the number of rows that are not drawn anew, and so outside the
// floor.
func (r *Recall) Outside() int64 { return r.held.rows }

// Earlier is how many rows of a letter, -1 of a null, show an output, -1 of a null, that was
// not drawn anew.
func (r *Recall) Earlier(x, y int) int64 { return r.held.cell[cell{int32(x), int32(y)}] }

// EveryOutput lists all outputs where a record may stand at any, nil where its
// letter's row has them.
func (r *Recall) EveryOutput(p *plan.Plan) []uint16 {
	if r.Outside() == 0 {
		return nil
	}
	return AnyOutput(p)
}

// AnyOutput lists all outputs of a plan.
func AnyOutput(p *plan.Plan) []uint16 {
	all := make([]uint16, p.Outputs.Len())
	for y := range all {
		all[y] = uint16(y)
	}
	return all
}

// Checks is what the draws have shown.
func (r *Recall) Checks() []report.Check {
	if r.Fresh() {
		return nil
	}
	return Drawn(string(r.m.unit), r.Outside())
}

// Drawn is the check that draws by the ids of a "record" or a "person" pass, held rows of which
// show an earlier draw.
func Drawn(unit string, held int64) []report.Check {
	what := "every record holds what key, plan and id give"
	if unit == string(draw.Person) {
		what = "every record holds what key, plan and person give, and rows of one person and value are one draw in the fit"
	}
	if held > 0 {
		what += fmt.Sprintf("; %d show an earlier draw, and the floor does not cover them", held)
	}
	return []report.Check{{Name: "draws", Passed: true, Detail: what}}
}
