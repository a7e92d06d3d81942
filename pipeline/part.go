package pipeline

import (
	"bytes"
	"slices"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A part is what a release does with one private column: what was decided for
// it, what became of it, and the files of its report.
type part struct {
	records.Part
	Options *request.Options // as if the column were the only one
	given   *plan.Plan       // that was made before; nil for none
	state   string           // of a plan of an earlier night, as pin finds it; "" where none is looked for
	asked   *request.Decision
	d       *count.Domain

	beside   *report.Beside
	runKeyID string         // of the run key, "" without one
	planText []byte         // the plan as it is written, where rows are drawn by its hash; else nil
	before   *report.Report // of the release before, nil where none was given
	pin      *report.Pinned // nil without a plan of an earlier night

	reading *plan.Plan   // the plan under the counts of this file; nil where it was made from these, or for more
	share   *report.Part // of the plan's data, where the file is one; nil else

	plan, order, json *publish.File
	open              *publish.File    // the mechanism, for everybody who may see it
	replaced          [2]*publish.File // order and file of the pinned plan, where a redesign replaces it
	views             *views
}

// targets opens the files of the part's report.
func (p *part) targets(r *release) (err error) {
	for _, f := range []struct {
		name string
		to   **publish.File
	}{{plan.File, &p.plan}, {plan.OrderFile, &p.order}} {
		if *f.to, err = r.add(store.In(p.Options.Report, f.name), true); err != nil {
			return err
		}
	}
	if p.views, err = r.addViews(p.Options.Report); err != nil {
		return err
	}
	if err := p.pinnedFiles(r); err != nil {
		return err
	}
	if p.open, err = r.add(store.In(p.Options.Report, publicFolder, plan.OpenFile), false); err != nil {
		return err
	}
	p.json, err = r.add(store.In(p.Options.Report, jsonFile), true)
	return err
}

// planDocuments are the plan, whose hashes its report names from here on, and what
// lies beside it; both also in the place of a pinned plan.
func (p *part) planDocuments(r *release, rep *report.Report) (own, pinned []publish.Document, err error) {
	plan := p.planText
	if plan == nil {
		if plan, err = p.Plan.Encode(); err != nil {
			return nil, nil, err
		}
	}
	rep.Plan = report.Hashes{Plan: p.Plan.Hash, Design: p.Plan.DesignHash}
	if own, err = weightsBeside(r.set, p.plan.Path(), r.overwrites(), p.Plan); err != nil {
		return nil, nil, err
	}
	if p.replaced[0] != nil {
		pinned, err = weightsBeside(r.set, p.Options.Plan, true, p.Plan)
	}
	return append(own, publish.Document{To: p.plan, Data: plan}), append(pinned, p.pinnedPlan(plan)...), err
}

// documents are the files of the part's report but for its plan.
func (p *part) documents(rep *report.Report) ([]publish.Document, error) {
	account.Claim(rep)
	page.Since(rep, p.before)
	var data bytes.Buffer
	if err := rep.WriteJSON(&data); err != nil {
		return nil, err
	}
	views, err := p.views.documents(rep)
	if err != nil {
		return nil, err
	}
	open, err := p.opened(rep)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]publish.Document{{To: p.order, Data: p.Plan.OrderCSV}, {To: p.json, Data: data.Bytes()},
		{To: p.open, Data: open}}, views), nil
}

// opened is what everybody may see of the mechanism. That of a plan made before says
// nothing of how it was chosen, and is withheld.
func (p *part) opened(rep *report.Report) ([]byte, error) {
	design := rep.Setting("design")
	if p.given != nil {
		design = ""
	}
	limited := p.Plan.Shares != nil
	open := p.Plan.OpenTo(design, limited, func(label string) bool { return p.d.Declared[label] })
	if open.Mechanism != nil && p.given != nil {
		open.Mechanism, open.Withheld = nil, "it was made before, from data that this release does not tell of"
	}
	if limited && p.given == nil {
		open.Limit = p.Plan.Shares.Limit
	}
	open.Person = p.Options.Person
	open.Held = p.Options.OnChange == "hold" || p.Options.OverBudget != "" || p.Options.KeepEarlier
	return open.Encode()
}

// drawnOf is what is drawn and checked of all parts.
func drawnOf(parts []*part) []*records.Part {
	var out []*records.Part
	for _, p := range parts {
		out = append(out, &p.Part)
	}
	return out
}
