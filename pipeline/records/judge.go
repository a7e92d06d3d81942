package records

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// judge decides from the tally whether the written file is what was planned, group
// by group, and adds the groups up.
func (t *Tally) judge(p *plan.Plan, units int) ([]report.Check, error) {
	rows, worst, err := t.fits(p)
	if err != nil {
		return nil, err
	}
	t.total(p, t.Recall.EveryOutput(p))
	fit := fmt.Sprintf("the draws fit the plan: G = %.1f over %d rows of the mechanism (false alarm rate %g)", 2*worst,
		rows, estimate.Alarm)
	if len(t.group) > 1 {
		fit = fmt.Sprintf("the draws fit the plan in each of %d groups of strata: G at most %.1f, %d rows of mechanisms "+
			"(false alarm rate %g)", len(t.group), 2*worst, rows, estimate.Alarm)
	}
	return append(t.passed(p, units, t.Recall.Outside(), fit), t.Recall.Checks()...), nil
}

// passed are the checks of a file that passes them, with what is said of the fit; of outside rows
// nothing was drawn in this release.
func (t *Tally) passed(p *plan.Plan, units int, outside int64, fit string) []report.Check {
	checks := []report.Check{
		{Name: "rows", Passed: true, Detail: fmt.Sprintf("%d rows, and as many row groups or record batches as the input: %d",
			t.Rows, units)},
		{Name: "alphabet", Passed: true, Detail: fmt.Sprintf("every value is one of %d outputs", p.Outputs.Len())},
	}
	if p.Empty() {
		return checks
	}
	whose := ""
	if outside > 0 {
		whose = " drawn in this release"
	}
	floor := fmt.Sprintf("0 of %d records%s hold a replacement that the plan forbids", t.Rows-t.nulls-outside, whose)
	if len(t.group) > 1 {
		floor += " in their stratum"
	}
	return append(checks, report.Check{Name: "floor", Passed: true, Detail: floor},
		report.Check{Name: "fit", Passed: true, Detail: fit})
}

// total adds the groups up. Where a record may show an earlier draw, all are the outputs at
// any of which it may stand; else nil.
func (t *Tally) total(p *plan.Plan, all []uint16) {
	for g, own := range t.group {
		own.sum(p, g, all)
		t.add(&own.sums)
	}
}

// fits holds all groups to their mechanisms: rows of these, and the worst fit.
func (t *Tally) fits(p *plan.Plan) (rows int, worst float64, err error) {
	for g, own := range t.group {
		if p.Empty() {
			break
		}
		fit, err := own.judge(p, g)
		if err != nil {
			return 0, 0, err
		}
		rows, worst = rows+fit.Rows, max(worst, fit.Statistic)
	}
	return rows, worst, nil
}

// judge holds the records of a group to its mechanism. Groups share the rate of
// false alarms.
func (t *groupTally) judge(p *plan.Plan, group int) (estimate.Goodness, error) {
	law := p.Groups[group].Mechanism
	fit := t.fit(law)
	if fit.Forbidden > 0 || t.strays(law) {
		return fit, errForbidden
	}
	if !fit.Accepts(estimate.Alarm / float64(len(p.Groups))) {
		where := ""
		if len(p.Groups) > 1 {
			where = fmt.Sprintf(" in group %d of strata", group+1)
		}
		return fit, fault.New(fault.Internal, "run again; if it happens twice, the random numbers or the sampler are broken",
			"the written file does not fit the plan%s: divergence %.1f nats", where, fit.Statistic)
	}
	return fit, nil
}

// strays reports a replacement that the plan forbids of a record that does not
// show an earlier draw. Without such records the fit has said so.
func (t *groupTally) strays(law *mechanism.Mechanism) bool {
	if t.pairs == nil || t.recall.Outside() == 0 {
		return false
	}
	for x := range law.Inputs() {
		row := law.Row(x).Output
		for y := range law.Outputs() {
			if _, ok := slices.BinarySearch(row, uint16(y)); !ok && t.pairs.Count(x, y) != t.recall.Earlier(x, y) {
				return true
			}
		}
	}
	return false
}

// fit compares the draws with the plan: by pairs where they were counted, else
// by outputs alone.
func (t *groupTally) fit(law *mechanism.Mechanism) estimate.Goodness {
	if !t.recall.Fresh() {
		return t.recall.Drawn.Fit(law)
	}
	if t.pairs != nil {
		return t.pairs.Fit(law)
	}
	return estimate.FitOutputs(law, t.private, t.output)
}

// sum takes from the pairs what was not counted record by record.
func (t *groupTally) sum(p *plan.Plan, group int, all []uint16) {
	if t.pairs == nil {
		return
	}
	t.nulls = t.pairs.Null()
	value := make([]float64, p.Outputs.Len())
	for y := range t.output {
		t.output[y] += t.recall.Earlier(-1, y)
	}
	for x := range p.Inputs.Len() {
		outputs := all
		if all == nil {
			outputs = p.Groups[group].Mechanism.Row(x).Output
		}
		mechanism.ValuesAt(p.Order, x, outputs, value)
		for _, y := range outputs {
			n := t.pairs.Count(x, int(y))
			if n == 0 {
				continue
			}
			t.output[y] += n
			if !math.IsInf(value[y], -1) { // a record that is held may stand where its letter forbids it
				t.value += float64(n) * value[y]
				t.valued += n
				if t.of == nil {
					t.of = map[float64]int64{}
				}
				t.of[value[y]] += n
			}
			if p.SameLabel(x, int(y)) {
				t.same += n
			}
		}
	}
}

// mostLevels is how many levels are told of.
const mostLevels = 5

// reached are the records that come near their value, beside those that keep it: by each of
// the first levels, within a place, or half of all.
func (t *Tally) reached(unit string) (out []report.Reach) {
	sum := int64(0)
	for _, u := range slices.Backward(slices.Sorted(maps.Keys(t.of))) {
		before := sum
		sum += t.of[u]
		level := unit == "levels" && len(out) < mostLevels
		half := unit != "levels" && unit != "places" && 2*before < t.valued && 2*sum >= t.valued
		if u < 0 && sum < t.valued && (level || half || unit == "places" && u == -1) {
			out = append(out, report.Reach{Utility: u, Records: sum})
		}
	}
	return out
}

// A Counted is records that were drawn before and counted since: rows in a number of row
// groups or record batches, some of them public nulls.
type Counted struct {
	Rows, Nulls int64
	Units       int
	Unit        string                                         // whose ids draw, "" where none do
	Held        int64                                          // of them, rows that show earlier draws: which is not known
	Each        func(group int, count func(x, y int, n int64)) // pairs of letter and output
}

// Recounted is what the report tells of such records, and the checks that they pass: nothing of the
// fit where ids draw, which takes the draws themselves.
func Recounted(p *plan.Plan, c Counted) (*plan.Written, []report.Check, error) {
	t := NewTally(p)
	t.Rows = c.Rows
	for g, own := range t.group {
		c.Each(g, func(x, y int, n int64) {
			if own.records += n; own.pairs != nil {
				own.pairs.AddCounted(x, y, n)
				return
			}
			if own.private[x], own.output[y] = own.private[x]+n, own.output[y]+n; p.SameLabel(x, y) {
				own.same += n
			}
		})
	}
	first := t.group[0] // which of several has a null does not matter
	if first.records += c.Nulls; first.pairs != nil {
		first.pairs.AddNulls(c.Nulls)
	} else {
		first.nulls += c.Nulls
	}
	if c.Unit != "" {
		var all []uint16
		if c.Held > 0 {
			all = releases.AnyOutput(p)
		}
		t.total(p, all)
		return t.Written(p), append(t.passed(p, c.Units, c.Held, ""), releases.Drawn(c.Unit, c.Held)...), nil
	}
	checks, err := t.judge(p, c.Units)
	return t.Written(p), checks, err
}

// Written is what the report tells of it.
func (t *Tally) Written(p *plan.Plan) *plan.Written {
	w := &plan.Written{Rows: t.Rows, Nulls: t.nulls, Same: t.same, Output: t.output}
	for y := range t.output {
		w.Nulls += t.Recall.Earlier(-1, y)
	}
	w.Moved = w.Nulls > t.nulls
	for x := range p.Inputs.Len() {
		w.Moved = w.Moved || p.Null == "public" && t.Recall.Earlier(x, -1) > 0
	}
	if !p.Empty() {
		if w.Realised, w.Reached = p.Expected, t.reached(p.Spec.Unit); t.group[0].pairs != nil && t.valued > 0 {
			w.Realised = t.value / float64(t.valued)
		}
	}
	for _, g := range t.group {
		w.Groups = append(w.Groups, g.records-g.nulls)
	}
	return w
}
