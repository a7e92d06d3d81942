package document

import (
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A View holds the documents and what was recomputed from them. What
// could not be is nil, and what needs it is not checked.
type View struct {
	Result
	Report *Report
	Plan   *Plan

	Weights io.Reader // of the rows that the plan leaves out; nil where it has them

	Count  []int64       // of plan.counts, by input
	Total  int64         // their sum
	Rows   []exact.Row   // of the one mechanism where there is one group; else nil
	Blocks [][]int       // letters that share a row, where the plan has blocks
	Order  *files.Order  // nil where order.csv is not a table of utilities
	Places *files.Places // instead, of an order by position that is too large for a table
	Allow  *exact.Support
	Laws   [][]exact.Row // of all mechanisms
	Groups []Group       // of the records, each drawn by one mechanism; nil where that is not known, or there is no letter
	Factor []*big.Rat    // e^l(y); nil where y is never produced
	Most   *big.Rat      // the largest of the observers whom epsilon is kept for, 1 where there is none
	Worst  struct {
		Rank  int
		Value float64
	}
	Made    *View     // the plan with its own counts, where the report states those of its file; else nil
	Stated  []int64   // the latter, by input
	Pairs   *Tally    // of input and output, or of the output alone
	Back    *Back     // of a shuffled output beside its input; else nil
	Again   *Replayed // nil where draws were not made again
	Replays bool      // figures of the series were recomputed

	looked map[string]bool // places of the report that were looked at, shared with the plan as made
}

// A Back is how the rows of a shuffled output go with those of its input.
type Back struct {
	In, Out []int32 // rows of both, by the cells of the columns published in clear
	Group   []int   // where in these rows begin that have the same cells
	Loose   int64   // rows that others equal, of other values and outputs: which is which is not known
	Unknown int64   // of these, rows for which no order was looked for that the plan allows
}

// Bounds are where a group begins, and where the next one does.
func (b *Back) Bounds(group int) (from, to int) {
	if group+1 < len(b.Group) {
		return b.Group[group], b.Group[group+1]
	}
	return b.Group[group], len(b.In)
}

// Paired reports whether the pairs of inputs and outputs are known, and if not why.
func (v *View) Paired(f *Files) (why string, ok bool) {
	switch {
	case f.In == nil:
		return "no input", false
	case v.Pairs == nil:
		return "the records could not be counted", false
	case v.Back != nil && v.Back.Loose > 0:
		return fmt.Sprintf("the rows were shuffled, and %d are equal in all other columns: which of them is which is not "+
			"known", v.Back.Loose), false
	}
	return "", true
}

// NewView is a view of a report and of a plan yet to be read.
func NewView(r *Report) *View { return &View{Report: r, Plan: &Plan{}, looked: map[string]bool{}} }

// Design is the hash of what draws depend on, as the plan has it. Where a column is
// given, that is letters; 2^64-1 in place of the number of rows; column and function as
// labels; number of mechanisms and each of them as rows; number of groups and of each its
// mechanism, 1 for the rest and else 0, and its strata.
func (v *View) Design() string {
	s, p := files.NewStream(), v.Plan
	switch {
	case p.Given.Of != "":
	case v.Blocks != nil:
		return files.DesignOfBlocks(p.Inputs, p.Outputs, v.Blocks, v.Rows)
	default:
		return files.Design(p.Inputs, p.Outputs, v.Rows)
	}
	s.Labels(p.Inputs)
	s.Labels(p.Outputs)
	s.Number(math.MaxUint64)
	s.Labels([]files.Label{{Text: p.Given.Of}, {Text: p.Given.Function}})
	s.Number(uint64(len(v.Laws)))
	for _, rows := range v.Laws {
		s.Rows(rows)
	}
	s.Number(uint64(len(p.Groups)))
	for _, g := range p.Groups {
		s.Number(uint64(g.Law))
		rest := uint64(0)
		if g.Rest {
			rest = 1
		}
		s.Number(rest)
		s.Labels(g.Names)
	}
	return s.Sum()
}

// Leave notes a check that could not be made, and the places that nobody else
// looks at.
func (v *View) Leave(name, why string, paths ...string) {
	v.Skip(name, why)
	v.Seen(paths...)
}

// A Group is records that are drawn by one mechanism: all of them where no column is
// given.
type Group struct {
	Count  []int64 // of its prior
	Total  int64
	Sample []int64 // of its records: the same but for a declared or smoothed prior
	Rows   []exact.Row
	Factor []*big.Rat // e^l(y) under its own counts
	Rank   int        // the worst that can occur
	Value  float64
}

// Which names a group where there are several.
func (v *View) Which(group int) string {
	if len(v.Groups) == 1 {
		return ""
	}
	return fmt.Sprintf(" of group %d", group+1)
}

// Replayed is what the draws of a night came to where key and ids are known.
type Replayed struct {
	Drawn     *Tally
	Held      int64
	Forbidden int64 // of rows that are not held
	Persons   bool  // drawn holds one draw of each person and letter
}

// Empty reports a plan without letters: no rows, or public nulls only.
func (v *View) Empty() bool { return len(v.Plan.Inputs) == 0 }

// NullOutput reports whether null may be drawn.
func (v *View) NullOutput() bool {
	n := len(v.Plan.Outputs)
	return n > 0 && v.Plan.Outputs[n-1].Null
}

// AsMade makes checks of the plan as it was made.
func (v *View) AsMade(check func(*View)) {
	if v.Made == nil {
		check(v)
		return
	}
	made := *v.Made
	made.Result, made.Pairs, made.Again, made.Back = v.Result, v.Pairs, v.Again, v.Back
	check(&made)
	v.Result = made.Result
}

// PlanCounts are the counts of the plan as it was made.
func (v *View) PlanCounts() []int64 {
	if v.Made != nil {
		return v.Made.Count
	}
	return v.Count
}

// PlanFactor is the factor of the plan as it was made.
func (v *View) PlanFactor() string {
	if v.Made != nil {
		return v.Made.Plan.Epsilon.Factor
	}
	return v.Plan.Epsilon.Factor
}

// Sample are the records that the leakage of the plan is of: those that it was
// made from, or those of the file where the report states them.
func (v *View) Sample() []int64 {
	if v.Stated != nil {
		return v.Stated
	}
	if v.Plan.Prior == nil {
		return v.Count
	}
	out := make([]int64, len(v.Count))
	for x := range out {
		if x < len(v.Plan.Prior.Records) {
			out[x], _ = exact.Whole(v.Plan.Prior.Records[x])
		}
	}
	return out
}

// Held reports whether epsilon holds relative to the plan's records, too, and
// not to its declared or smoothed prior alone.
func (v *View) Held() bool { return v.Plan.Prior != nil && !v.Plan.Prior.Only }

// Blind reports whether the mechanism does not depend on the plan's records: it
// was made for a declared prior alone, and no letters were merged by their counts.
func (v *View) Blind() bool {
	p := v.Plan.Prior
	return p != nil && p.Of == "declared" && p.Only && v.Plan.Other == nil
}

// Lowered reports whether the plan's target is the one asked for or, where all
// columns of the run were scaled to keep a joint epsilon, that times the scale,
// rounded down to nine decimals.
func (v *View) Lowered(asked string) bool {
	if scale := v.Report.Text("joint.scale"); scale == "" || scale == "1" {
		return asked == v.Plan.Epsilon.Target
	}
	scale, ok := v.Report.Factor("joint.scale")
	from, known := exact.ParseTarget(asked)
	to, stated := exact.ParseTarget(v.Plan.Epsilon.Target)
	if !ok || !known || !stated || to.Nats == nil || scale.Cmp(exact.One) > 0 {
		return false
	}
	whole := from.Nats
	if whole == nil {
		_, high := exact.Log(from.Factor, 128)
		whole, _ = high.Rat(nil)
	}
	gap, _ := new(big.Rat).Sub(new(big.Rat).Mul(whole, scale), to.Nats).Float64()
	return gap >= -1e-12 && gap <= 2e-9
}

// Adopted counts the letters that came after the plan was made.
func (v *View) Adopted() int {
	if v.Plan.Other == nil {
		return 0
	}
	return len(v.Plan.Other.Adopted)
}
