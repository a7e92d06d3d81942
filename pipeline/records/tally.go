package records

import (
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
)

// maxPairs bounds the tables of (input, output) pairs that are counted, those of
// all groups together; above, every record is looked up in its row.
const maxPairs = 1 << 22

// A Tally is what became of the records, counted group by group as they are
// drawn.
type Tally struct {
	Rows   int64
	Recall *releases.Recall
	sums                 // of all groups, once they are judged
	group  []*groupTally // one of all rows where the plan is empty
	in, to [][]int32     // letters of a batch by group
}

// A groupTally counts the records of one group.
type groupTally struct {
	law     *mechanism.Mechanism // nil in an empty plan
	records int64
	pairs   *estimate.Pairs // by input and output; nil above maxPairs
	private []int64         // by input letter; without pairs only
	// of a plan of one group: of several, all draws are fresh in what is counted here
	recall *releases.Recall
	sums
}

// sums are counted record by record, or follow from pairs in the end.
type sums struct {
	nulls  int64             // outside the alphabet, in both files
	output []int64           // records by output letter
	same   int64             // records written with the label they had
	value  float64           // sum of their utilities; 0 without pairs
	valued int64             // records in value,
	of     map[float64]int64 // by their utility
}

func (s *sums) add(u *sums) {
	s.nulls, s.same = s.nulls+u.nulls, s.same+u.same
	s.value, s.valued = s.value+u.value, s.valued+u.valued
	for v, n := range u.of {
		if s.of == nil {
			s.of = map[float64]int64{}
		}
		s.of[v] += n
	}
	for y, n := range u.output {
		s.output[y] += n
	}
}

// newTallies are those of all parts.
func newTallies(parts []*Part) []*Tally {
	var out []*Tally
	for _, p := range parts {
		out = append(out, newTally(p.Plan, releases.NewRecall(p.Plan, p.Memo)))
	}
	return out
}

func newTally(p *plan.Plan, recall *releases.Recall) *Tally {
	n, m, groups := p.Inputs.Len(), p.Outputs.Len(), max(1, len(p.Groups))
	t := &Tally{Recall: recall, sums: sums{output: make([]int64, m)}, in: make([][]int32, groups),
		to: make([][]int32, groups)}
	for g := range groups {
		own := &groupTally{sums: sums{output: make([]int64, m)}, recall: &releases.Recall{}}
		if !p.Empty() {
			own.law = p.Groups[g].Mechanism
		}
		if groups == 1 {
			own.recall = recall
		}
		if n*m*groups <= maxPairs {
			own.pairs = estimate.NewPairs(n, m)
		} else {
			own.private = make([]int64, n)
		}
		t.group = append(t.group, own)
	}
	return t
}

// take counts rows with letters in, of these groups, that are published as out;
// drawing is nil where draws are fresh.
func (t *Tally) take(p *plan.Plan, group []int32, drawing []releases.Drawing, in, out []int32) error {
	t.Recall.Take(drawing, in)
	t.Rows += int64(len(out))
	if len(t.group) == 1 {
		return t.group[0].count(p, in, out)
	}
	for g := range t.group {
		t.in[g], t.to[g] = t.in[g][:0], t.to[g][:0]
	}
	for i, g := range group {
		t.in[g], t.to[g] = append(t.in[g], in[i]), append(t.to[g], out[i])
	}
	for g, own := range t.group {
		if err := own.count(p, t.in[g], t.to[g]); err != nil {
			return err
		}
	}
	return nil
}

// count tallies records that were in[i] and are written as out[i].
func (t *groupTally) count(p *plan.Plan, in, out []int32) error {
	t.records += int64(len(in))
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
			case t.recall.Fresh():
				return errForbidden
			case x >= 0: // suppressed, or a null that is held
				t.private[x]++
			default: // a value that is held
				t.output[y]++
			}
			continue
		}
		if _, ok := slices.BinarySearch(t.law.Row(int(x)).Output, uint16(y)); !ok && t.recall.Fresh() {
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
	all := t.group[0].letters()
	for _, own := range t.group[1:] {
		for x, n := range own.letters() {
			all[x] += n
		}
	}
	return all
}

func (t *groupTally) letters() []int64 {
	if t.pairs == nil {
		return slices.Clone(t.private)
	}
	all := t.pairs.Records()
	for x := range all {
		all[x] += t.recall.Earlier(x, -1)
	}
	return all
}

func (t *Tally) merge(u *Tally) {
	t.Rows += u.Rows
	t.Recall.Merge(u.Recall)
	for g, own := range t.group {
		own.merge(u.group[g])
	}
}

func (t *groupTally) merge(u *groupTally) {
	t.records += u.records
	t.add(&u.sums)
	for x, n := range u.private {
		t.private[x] += n
	}
	if t.pairs != nil {
		t.pairs.Merge(u.pairs)
	}
}

var errForbidden = &fault.Fault{Class: fault.Internal,
	What: "the written file holds a replacement that the plan forbids"}
