// Package account puts into figures and words what a release did: what the output
// tells, what the release keeps, and what a reader must not overlook.
package account

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// smallSet is the number of records below which a binding set is pointed out.
const smallSet = 100

// Facts are all that the report of a private column is told from: what was asked for,
// what was decided, and what is seen in the files. Whoever has them can tell the report
// again.
type Facts struct {
	*request.Account        // what was asked for, and all that is stated
	Type             string // of the column, in the input, without its bins
	Input, Output    report.File
	Plan             *plan.Plan    // what the records were drawn by
	Reads            *plan.Plan    // the same under the counts that its figures are relative to
	Records          []int64       // of this file, by letter of the plan
	Nulls            *report.Nulls // nil where there are none
	Written          *plan.Written
	Checks           []report.Check // of the written file
	Joint            *report.Joint  // nil of one column
	JointHash        string
	Part             *report.Part // nil unless the file is a part of the plan's data
}

// Of tells the report. It reads no file; where ctx ends meanwhile, the report lacks
// figures.
func Of(ctx context.Context, f *Facts) *report.Report {
	p, t := f.Reads, f.Written
	r := &report.Report{
		Schema: report.Schema, Command: f.Command, Stated: f.Stated,
		Column: p.Column, Type: f.Type,
		Records: t.Rows - t.Nulls, Letters: p.Inputs.Len(), Nulls: f.Nulls,
		Epsilon: report.Epsilon{Target: p.Target, Factor: p.Factor().RatString(),
			Nats: mechanism.Nats(p.Factor())},
		Design: report.Design{Kind: p.Kind, Lower: p.Lower.RatString(), Upper: p.Upper.RatString(), Stopped: p.Stopped,
			UtilityGap: p.Gap, Prefer: p.Prefer, MaxShift: p.MaxShift(), Keep: p.Keeps()},
		Order: report.Order{Spec: p.Spec.Spec, Form: p.Spec.Form, SHA256: p.Spec.SHA256, Ties: p.Spec.Ties,
			Extra: p.Spec.Extra},
		Input: f.Input, Output: f.Output, Outputs: []report.Output{}, Warnings: []string{},
		Checks: f.Checks, Joint: f.Joint, JointHash: f.JointHash,
		Plan: report.Hashes{Plan: f.Plan.Hash, Design: f.Plan.DesignHash},
	}
	mixed := r.History.Mixed()
	anew := mixed == nil // every row is of this release's draws
	if p.Bins != nil {
		r.Type += ", in bins " + p.Bins.Spec
	}
	if f.Nulls != nil && t.Moved { // records go on showing an earlier null or value
		r.Nulls = &report.Nulls{Rule: f.Nulls.Rule, Count: f.Nulls.Count, Share: f.Nulls.Share}
	}
	if !p.Empty() {
		r.Prior = priorOf(p)
		r.Prior.Unseen, r.Prior.Late = unseen(p, f.Records)
		r.Floor = reportFloor(p)
		r.Utility = report.Utility{Worst: p.Value, Expected: p.Expected, UpperBound: p.UpperBound, Realised: t.Realised,
			Unit: p.Spec.Unit, Unchanged: t.Same, Share: p.Share, ShareBound: p.ShareBound, Reached: t.Reached}
		r.Utility.Error, r.Utility.Responded = recovered(p)
		r.Outputs = reportOutputs(p, t)
		if !noneDrawn(r) {
			r.Binding = binding(p)
		}
	}
	declare(r, f)
	believe(r, p, anew)
	r.Certainty = certainty(f.Unchanged, p, anew)
	r.Strata = givenStrata(r, p, t, anew)
	if anew {
		r.Shares = sharesOf(p, t.Output, f.Part != nil)
	} else {
		showEarlier(r, mixed.Held)
	}
	r.Population = decide.Populate(p.AsMade(), fresh(p), f.Confidence)
	ownReading(r, f.PartOfPlan, p)
	rareReading(r, p.AsMade())
	r.Warnings = slices.Concat(warnings(r), told("prior", struct {
		*report.Report
		OfPlan bool
	}{r, f.PartOfPlan}), told("strata", r), roomless(r, f), mourned(r), told("visible", mixed))
	if f.Pinned != nil {
		r.Command = "run"
	}
	if f.Plan.Headroom != nil {
		r.Design.Headroom = f.Plan.Headroom.RatString()
	}
	r.Prior.Part = f.Part
	return r
}

// fresh are the records of this file where the plan was made from others, nil
// where it was not: those of a part of its data are the same.
func fresh(p *plan.Plan) *mechanism.Prior {
	if p.Made == nil {
		return nil
	}
	records := p.Records()
	return &records
}

func priorOf(p *plan.Plan) report.Prior {
	_, most := p.Prior.Most()
	_, least := p.Prior.Least()
	n := float64(max(p.Prior.Total(), 1))
	return report.Prior{Max: float64(most) / n, Min: float64(least) / n}
}

func reportFloor(p *plan.Plan) report.Floor {
	f := report.Floor{Rank: p.Rank, Value: p.Value, Of: p.Outputs.Len(), Asked: p.Asked, Least: math.MaxInt,
		InWords: p.Words, NextRank: p.NextRank, Level: report.LevelOf(p.Level())}
	laws, _ := p.Laws()
	for _, m := range laws {
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

// binding is the output with the largest factor and the letters behind it, for
// the observer who learns most of those whom epsilon is kept for.
func binding(p *plan.Plan) *report.Binding {
	parts := p.Parts()
	y, factor := p.Leakage.Max()
	if worst, known := p.Known(); worst >= 0 && (p.Given.Only || factor.Cmp(known) <= 0) {
		parts = parts[worst : worst+1]
		y, _ = parts[0].Leakage.Max()
	}
	if y < 0 {
		return nil
	}
	b := &report.Binding{Output: p.OutputLabels()[y]}
	for x := range p.Inputs.Len() {
		records := int64(0)
		for _, part := range parts {
			if _, ok := slices.BinarySearchFunc(part.Mechanism.Row(x).Output, uint16(y), cmp.Compare[uint16]); ok {
				records += part.Prior.Count(x)
			}
		}
		if b.Records += records; records > 0 {
			b.Letters++
		}
	}
	return b
}
