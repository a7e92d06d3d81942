package records

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/releases"
)

// A Flow draws the records of a stream, one batch after the other. Nobody has counted
// them before: what does not belong to the plan's data is refused where it comes.
type Flow struct {
	part   *Part
	groups []count.Grouper // of the one part
	left   [][]int64       // by group and value, the plan's records that have not come yet
	at     table.Unit      // at hand: the next one may have other dictionaries
	unit   *inHand
	*counting
}

// NewFlow begins a stream. Without a run key all its batches are drawn from one random
// stream: what is drawn does not depend on how rows come in batches.
func NewFlow(p *Part) (*Flow, error) {
	d, err := p.drawer()
	if err != nil {
		return nil, err
	}
	groups, unit := []count.Grouper{count.NewGrouper(p.Plan)}, d(table.Unit{})
	if p.Runs != nil {
		unit = keyed{p, d}
	}
	f := &Flow{part: p, groups: groups,
		unit:     &inHand{drawer: []unitDrawer{unit}, groups: count.GroupsBy(groups)},
		counting: &counting{tally: newTallies([]*Part{p}), was: make([][]int32, 2)}}
	for g := range p.Plan.Groups {
		of, left := p.Plan.RecordsOf(g), []int64{}
		for x := range of.Letters() {
			left = append(left, of.Count(x))
		}
		f.left = append(f.left, left)
	}
	return f, nil
}

// Draw draws the rows of b. None of them may go out where it fails.
func (f *Flow) Draw(b *table.Batch) error {
	p := f.part.Plan
	if at := slices.Index(b.Letters[0], -1); at >= 0 && p.Null != "public" {
		return table.Errorf("make a new plan with --null draw (randomize nulls) or --null public (publish them as null, "+
			"unprotected)", "column %q, row %d: a null, and the plan was made without nulls", p.Column, b.Row+int64(at)+1)
	}
	if f.at != b.Unit {
		f.at, f.unit.groups = b.Unit, count.GroupsBy(f.groups)
	}
	err := f.counting.draw([]*Part{f.part}, f.unit, b)
	if errors.Is(err, table.ErrUnseen) {
		return &table.InputError{What: fmt.Sprintf("column %q, row %d: its stratum is not among those of the plan",
			p.Given.Column, b.Row+int64(slices.Index(f.was[1], -1))+1), Hint: anotherPlan, Err: err}
	}
	if err != nil {
		return err
	}
	if at := f.beyond(); at >= 0 {
		return fault.New(fault.Privacy, "give the plan of the whole data",
			"%s is not a part of the data that the plan was made "+
				"from: column %q has more records of a value than the plan counts, from row %d on", f.part.Source.Path, p.Column,
			b.Row+int64(at)+1)
	}
	return nil
}

// beyond is the first row of the batch at hand with a value of which the plan counts no
// more records, -1 where there is none.
func (f *Flow) beyond() int {
	for i, x := range f.was[0] {
		if x < 0 {
			continue
		}
		left := f.left[0]
		if len(f.left) > 1 {
			left = f.left[f.was[1][i]]
		}
		if left[x]--; left[x] < 0 {
			return i
		}
	}
	return -1
}

// End fails where what was drawn does not fit the plan.
func (f *Flow) End() error {
	_, _, err := f.tally[0].fits(f.part.Plan)
	return err
}

// keyed draws batches by the run key: nothing is known of a stream before it comes, so
// that each has a key of its place, its values and its groups. The same words are used
// again for the same records alone.
type keyed struct {
	part *Part
	drawer
}

func (k keyed) Draw(b *table.Batch, group []int32) ([]releases.Drawing, error) {
	h := sha256.New()
	for _, of := range [][]int32{b.Letters[0], group} {
		binary.Write(h, binary.BigEndian, of) // a hash takes all
	}
	h.Sum(k.part.Runs[0].Content[:0])
	return k.drawer(table.Unit{Group: int(b.Row)}).Draw(b, group)
}

// anotherPlan is what to do where a stream has what its plan does not have.
const anotherPlan = "make a plan of all the data with tacet design, " +
	"with --domain FILE if later data may bring other values"

// Lacks is an error of a stream. A value that the plan does not have gets advice for a
// plan; any other error stays as it is.
func Lacks(err error) error {
	var input *table.InputError
	if errors.As(err, &input) && errors.Is(err, table.ErrUnseen) {
		return &table.InputError{What: input.What, Hint: anotherPlan, Err: err}
	}
	return err
}
