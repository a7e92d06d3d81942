package records

import (
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
)

// A Sum is a tally of fresh draws that was judged, as it is kept and added to those of other
// files.
type Sum struct {
	Rows   int64
	Groups []GroupSum // by group of the plan
}

// A GroupSum is what was counted of the records of a group.
type GroupSum struct {
	Records, Nulls  int64
	Cells           []Cell  // pairs of letter and output, where these are counted
	Private, Output []int64 // else by letter, and by output
	Same            int64
}

// A Cell is how many records of a letter were published as an output.
type Cell struct {
	X, Y uint16
	N    int64
}

// Sum is what is kept of the tally.
func (t *Tally) Sum() Sum {
	s := Sum{Rows: t.Rows}
	for _, own := range t.group {
		g := GroupSum{Records: own.records, Nulls: own.nulls}
		if own.pairs == nil {
			g.Private, g.Output, g.Same = own.private, own.output, own.same
		} else if own.law != nil {
			for x := range own.law.Inputs() {
				for _, y := range own.law.Row(x).Output {
					if n := own.pairs.Count(x, int(y)); n > 0 {
						g.Cells = append(g.Cells, Cell{uint16(x), y, n})
					}
				}
			}
		}
		s.Groups = append(s.Groups, g)
	}
	return s
}

// NewTally is that of no record of a plan.
func NewTally(p *plan.Plan) *Tally { return newTally(p, &releases.Recall{}) }

// Add adds what was kept. It is false where that is of another plan.
func (t *Tally) Add(s Sum) bool {
	if len(s.Groups) != len(t.group) {
		return false
	}
	t.Rows += s.Rows
	for i, own := range t.group {
		g := s.Groups[i]
		if own.records += g.Records; own.pairs == nil {
			if len(g.Private) != len(own.private) || len(g.Output) != len(own.output) {
				return false
			}
			own.add(&sums{nulls: g.Nulls, output: g.Output, same: g.Same})
			for x, n := range g.Private {
				own.private[x] += n
			}
			continue
		}
		own.pairs.AddNulls(g.Nulls)
		for _, c := range g.Cells {
			if own.law == nil || int(c.X) >= own.law.Inputs() || int(c.Y) >= own.law.Outputs() || c.N <= 0 {
				return false
			}
			own.pairs.AddCounted(int(c.X), int(c.Y), c.N)
		}
	}
	return true
}

// Letters are the records by group and letter of the plan, and how many are of none: nulls
// that stay.
func (t *Tally) Letters() (by [][]int64, nulls int64) {
	for _, own := range t.group {
		by = append(by, own.letters())
		if own.pairs != nil {
			nulls += own.pairs.Null()
		} else {
			nulls += own.nulls
		}
	}
	return by, nulls
}
