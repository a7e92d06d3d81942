package records

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// judge decides from the tally whether the written file is what was planned.
func (t *Tally) judge(p *plan.Plan, s *count.Source) ([]report.Check, error) {
	checks := []report.Check{
		{Name: "rows", Passed: true, Detail: fmt.Sprintf("%d rows, and as many row groups or record batches as the input: %d",
			t.Rows, len(s.File.Units()))},
		{Name: "alphabet", Passed: true, Detail: fmt.Sprintf("every value is one of %d outputs", p.Outputs.Len())},
	}
	if p.Empty() {
		t.sum(p)
		return checks, nil
	}
	if t.strata != nil {
		own, err := t.strata.judge(t)
		return slices.Concat(checks, own, t.Recall.Checks()), err
	}
	fit := t.fit(p)
	if fit.Forbidden > 0 {
		return nil, errForbidden
	}
	if !fit.Accepts(estimate.Alarm) {
		return nil, fault.New(fault.Internal, "run again; if it happens twice, the random numbers or the sampler are broken",
			"the written file does not fit the plan: divergence %.1f nats", fit.Statistic)
	}
	if t.strays(p) {
		return nil, errForbidden
	}
	t.sum(p)
	return append(append(checks,
		report.Check{Name: "floor", Passed: true,
			Detail: fmt.Sprintf("0 of %d records%s hold a replacement that the plan forbids", t.Rows-t.nulls-t.Recall.Outside(),
				drawnTonight(t.Recall))},
		report.Check{Name: "fit", Passed: true,
			Detail: fmt.Sprintf("the draws fit the plan: G = %.1f over %d rows of the mechanism (false alarm rate %g)",
				2*fit.Statistic, fit.Rows, estimate.Alarm)}),
		t.Recall.Checks()...), nil
}

// drawnTonight says of which records a check is, where not of all.
func drawnTonight(r *releases.Recall) string {
	if r.Outside() == 0 {
		return ""
	}
	return " drawn in this release"
}

// strays reports a replacement that the plan forbids of a record that does not
// show an earlier draw. Without such records the fit has said so.
func (t *Tally) strays(p *plan.Plan) bool {
	if t.pairs == nil || t.Recall.Outside() == 0 {
		return false
	}
	for x := range p.Inputs.Len() {
		row := p.Mechanism.Row(x).Output
		for y := range p.Outputs.Len() {
			if _, ok := slices.BinarySearch(row, uint16(y)); !ok && t.pairs.Count(x, y) != t.Recall.Earlier(x, y) {
				return true
			}
		}
	}
	return false
}

// fit compares the draws with the plan: by pairs where they were counted, else
// by outputs alone.
func (t *Tally) fit(p *plan.Plan) estimate.Fit {
	if t.Recall != nil {
		return t.Recall.Drawn.Fit(p.Mechanism)
	}
	if t.pairs != nil {
		return t.pairs.Fit(p.Mechanism)
	}
	return estimate.FitOutputs(p.Mechanism, t.private, t.output)
}

// sum takes from the pairs what was not counted record by record.
func (t *Tally) sum(p *plan.Plan) {
	if t.pairs == nil {
		return
	}
	t.nulls = t.pairs.Null()
	value := make([]float64, p.Outputs.Len())
	all := t.Recall.EveryOutput(p)
	for y, n := range t.Recall.Shown() {
		t.output[y] += n
	}
	for x := range p.Inputs.Len() {
		p.Order.Row(x, nil, value)
		outputs := all
		if all == nil {
			outputs = p.Mechanism.Row(x).Output
		}
		for _, y := range outputs {
			n := t.pairs.Count(x, int(y))
			if n == 0 {
				continue
			}
			t.output[y] += n
			if !math.IsInf(value[y], -1) { // a record that is held may stand where its letter forbids it
				t.value += float64(n) * value[y]
				t.valued += n
			}
			if p.SameLabel(x, int(y)) {
				t.same += n
			}
		}
	}
}

// realised is the mean utility of the records written; without pairs it is
// the expectation.
func (t *Tally) realised(p *plan.Plan) float64 {
	if t.pairs == nil && !t.strata.counted() || t.valued == 0 {
		return p.Expected
	}
	return t.value / float64(t.valued)
}

// Written is what the report tells of it.
func (t *Tally) Written(p *plan.Plan) *plan.Written {
	w := &plan.Written{Rows: t.Rows, Nulls: t.nulls, Same: t.same, Output: t.output}
	for _, n := range t.Recall.Shown() {
		w.Nulls, w.Moved = w.Nulls+n, w.Moved || n > 0
	}
	for _, n := range t.Recall.Hidden() {
		w.Moved = w.Moved || n > 0 && p.Null == "public"
	}
	if !p.Empty() {
		w.Realised = t.realised(p)
	}
	if t.strata != nil {
		for _, g := range t.strata.of {
			w.Strata = append(w.Strata, g.Rows-g.nulls)
		}
	}
	return w
}
