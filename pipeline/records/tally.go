package records

import (
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
)

// maxPairs bounds the table of (input, output) pairs that is counted; above,
// every record is looked up in its row.
const maxPairs = 1 << 22

// A Tally is what became of the records, counted as they are drawn.
type Tally struct {
	Rows    int64
	pairs   *estimate.Pairs  // records by input and output; nil above maxPairs
	nulls   int64            // outside the alphabet, in both files
	output  []int64          // records by output letter
	private []int64          // records by input letter; without pairs only
	same    int64            // records written with the label they had
	value   float64          // sum of their utilities; 0 without pairs
	valued  int64            // records in value
	Recall  *releases.Recall // nil where draws are fresh
	strata  *strataTally     // instead of pairs and private, where strata have mechanisms
}

// newTallies are those of all parts.
func newTallies(parts []*Part) []*Tally {
	var out []*Tally
	for _, p := range parts {
		out = append(out, newTally(p.Plan, p.Memo))
	}
	return out
}

func newTally(p *plan.Plan, m *releases.Memo) *Tally {
	t := &Tally{output: make([]int64, p.Outputs.Len()), Recall: releases.NewRecall(p, m)}
	if t.strata = newStrataTally(p); t.strata != nil {
		return t
	}
	if n, m := p.Inputs.Len(), p.Outputs.Len(); n*m <= maxPairs {
		t.pairs = estimate.NewPairs(n, m)
	} else {
		t.private = make([]int64, n)
	}
	return t
}

// take counts rows with letters in, of these groups of strata, that are
// published as out; drawing is nil where draws are fresh.
func (t *Tally) take(p *plan.Plan, group []int32, drawing []releases.Drawing, in, out []int32) error {
	t.Recall.Take(drawing, in)
	if t.strata != nil {
		t.Rows += int64(len(out))
		return t.strata.count(group, in, out)
	}
	return t.count(p, in, out)
}

// count tallies records that were in[i] and are written as out[i].
func (t *Tally) count(p *plan.Plan, in, out []int32) error {
	t.Rows += int64(len(in))
	if t.pairs != nil {
		t.pairs.Add(in, out)
		return nil
	}
	for i, x := range in {
		y := out[i]
		if x < 0 || y < 0 {
			switch {
			case x == y:
				t.nulls++
			case t.Recall == nil:
				return errForbidden
			case x >= 0: // suppressed, or a null that is held
				t.private[x]++
			default: // a value that is held
				t.output[y]++
			}
			continue
		}
		if _, ok := slices.BinarySearch(p.Mechanism.Row(int(x)).Output, uint16(y)); !ok && t.Recall == nil {
			return errForbidden
		}
		if p.SameLabel(int(x), int(y)) {
			t.same++
		}
		t.private[x]++
		t.output[y]++
	}
	return nil
}

// letters are the records that were drawn by input letter.
func (t *Tally) letters() []int64 {
	switch {
	case t.strata != nil:
		return t.strata.letters()
	case t.pairs != nil:
		return t.Recall.Letters(t.pairs.Records())
	}
	return t.private
}

func (t *Tally) merge(u *Tally) {
	t.Rows += u.Rows
	t.nulls += u.nulls
	t.same += u.same
	t.Recall.Merge(u.Recall)
	t.strata.merge(u.strata)
	for y, n := range u.output {
		t.output[y] += n
	}
	for x, n := range u.private {
		t.private[x] += n
	}
	if t.pairs != nil {
		t.pairs.Merge(u.pairs)
	}
}

var errForbidden = &fault.Fault{Class: fault.Internal,
	What: "the written file holds a replacement that the plan forbids"}
