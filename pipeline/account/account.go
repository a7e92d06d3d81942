// Package account says in figures and words what a release did: what its output
// tells, what it keeps, and what a reader must not overlook.
package account

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// smallSet is the number of records below which a binding set is pointed out.
const smallSet = 100

// Written is what was drawn and found again in the written file.
type Written struct {
	Rows, Nulls int64   // all, and those outside the alphabet in both files
	Same        int64   // records written with the label they had
	Output      []int64 // records by output letter
	Realised    float64 // mean utility of the records; the expectation where it is not known
	Strata      []int64 // records by group; nil where there are none
}

// Of turns the plan and what was written into the report.
func Of(o *options.Options, s *source.Source, p *plan.Plan, d *source.Domain, t *Written, command string, beside *report.Beside) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Version: o.Version, Command: command, Beside: *beside, Column: p.Column, Type: s.Column.Type,
		Records: t.Rows - t.Nulls, Letters: p.Inputs.Len(), Nulls: d.Nulls,
		Epsilon:  report.Epsilon{Target: p.Target, Factor: p.Factor().RatString(), Nats: mechanism.Nats(p.Factor())},
		Design:   report.Design{Kind: p.Kind, Lower: p.Lower.RatString(), Upper: p.Upper.RatString(), Stopped: p.Stopped, UtilityGap: p.Gap, Prefer: p.Prefer},
		Order:    report.Order{Spec: p.Spec.Spec, Form: p.Spec.Form, SHA256: p.Spec.SHA256, Ties: p.Spec.Ties, Extra: p.Spec.Extra},
		Columns:  s.Fates(),
		Input:    report.File{Path: o.Input, Rows: s.Rows, Bytes: s.Local.Size(), Format: s.File.Format()},
		Output:   report.File{Path: o.Output, Rows: t.Rows, Format: s.File.Format()},
		Settings: o.Settings, Outputs: []report.Output{}, Warnings: []string{},
	}
	if o.TestSeed != nil {
		r.Stamp = report.NotPrivate
	}
	r.Prior.Person = "not stated"
	if !p.Empty() {
		r.Prior, r.Scale = priorOf(p), scaleOf(p)
		r.Floor = reportFloor(p)
		r.Utility = report.Utility{Worst: p.Value, Expected: p.Expected, UpperBound: p.UpperBound, Realised: t.Realised, Unit: p.Spec.Unit, Unchanged: t.Same, Share: p.Share, ShareBound: p.ShareBound}
		r.Outputs = reportOutputs(p, t)
		r.Binding = binding(p)
	}
	declare(r, o, p, d)
	believe(r, p)
	compare(r, p)
	otherFloors(r, p)
	locate(r, p)
	r.Strata = givenStrata(p, t)
	r.Population = decide.Populate(o, p, d.Fresh, command)
	ownReading(r, p, d)
	rareReading(r, p)
	r.Warnings = slices.Concat(warnings(r), priorWarnings(r), strataWarnings(r, p))
	return r
}

func priorOf(p *plan.Plan) report.Prior {
	_, most := p.Prior.Most()
	_, least := p.Prior.Least()
	n := float64(max(p.Prior.Total(), 1))
	out := report.Prior{Max: float64(most) / n, Min: float64(least) / n, Person: "not stated"}
	for _, c := range p.Prior.Counts() {
		if c == 0 {
			out.Unseen++
		}
	}
	return out
}

// scaleOf says from which epsilon on a letter may be confirmed with
// certainty: from -log P(x) on [Saeidian et al. 2023: l <= -log P_min].
func scaleOf(p *plan.Plan) report.Scale {
	n := p.Prior.Total()
	if n == 0 {
		return report.Scale{}
	}
	_, most := p.Prior.Most()
	_, least := p.Prior.Least()
	s := report.Scale{Commonest: mechanism.Nats(big.NewRat(n, most)), Rarest: mechanism.Nats(big.NewRat(n, least))}
	f := p.Factor()
	rows := int64(0)
	for _, c := range p.Prior.Counts() {
		if c > 0 && new(big.Rat).Mul(f, big.NewRat(c, n)).Cmp(big.NewRat(1, 1)) >= 0 {
			s.Uncapped++
			rows += c
		}
	}
	s.UncappedRow = float64(rows) / float64(n)
	return s
}

func reportFloor(p *plan.Plan) report.Floor {
	f := report.Floor{Rank: p.Rank, Value: p.Value, Of: p.Outputs.Len(), Asked: p.Asked, Least: math.MaxInt, InWords: p.Words, NextRank: p.NextRank}
	for _, m := range decide.Laws(p) {
		for x := range m.Inputs() {
			k := len(m.Row(x).Output)
			f.Least, f.Most = min(f.Least, k), max(f.Most, k)
		}
	}
	if p.NextFactor != nil {
		f.NextNeed = p.NextFactor.RatString()
	}
	return f
}

// reportOutputs lists the outputs that letters with records may give, most
// leakage first.
func reportOutputs(p *plan.Plan, t *Written) []report.Output {
	letters := make([]int, p.Outputs.Len())
	for x := range p.Inputs.Len() {
		for _, y := range decide.Reach(p, x) {
			letters[y]++
		}
	}
	labels := p.OutputLabels()
	order := []int{}
	for y, f := range p.Leakage.Output {
		if f != nil {
			order = append(order, y)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.Leakage.Output[b].Cmp(p.Leakage.Output[a]) })
	out := []report.Output{}
	for _, y := range order {
		f := p.Leakage.Output[y]
		out = append(out, report.Output{Label: labels[y], Factor: f.RatString(), Nats: mechanism.Nats(f),
			Support: letters[y], Share: float64(t.Output[y]) / float64(max(t.Rows-t.Nulls, 1))})
	}
	return out
}

// binding is the output with the largest factor and the letters behind it.
func binding(p *plan.Plan) *report.Binding {
	if p.Strata != nil {
		worst, _ := p.Strata.Factor()
		return binding(p.Given(worst))
	}
	y, _ := p.Leakage.Max()
	if y < 0 {
		return nil
	}
	b := &report.Binding{Output: p.OutputLabels()[y]}
	for x := range p.Mechanism.Inputs() {
		if _, ok := slices.BinarySearchFunc(p.Mechanism.Row(x).Output, uint16(y), cmp.Compare[uint16]); ok && p.Prior.Count(x) > 0 {
			b.Letters++
			b.Records += p.Prior.Count(x)
		}
	}
	return b
}
