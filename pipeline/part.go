package pipeline

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/render"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// A part is what a release does with one private column: what was decided for
// it, what became of it, and the files of its report.
type part struct {
	records.Part
	d *source.Domain

	beside *report.Beside
	before *report.Report // of the release before, nil where none was given
	moved  *report.Moved  // since the input before, likewise
	pin    *report.Pinned // nil without a plan of an earlier night

	plan, order, json *publish.File
	replaced          [2]*publish.File // order and file of the pinned plan, where a redesign replaces it
	views             *views
}

// targets opens the files of the part's report.
func (p *part) targets(r *release) (err error) {
	if err := r.set.Folder(p.Options.Report); err != nil {
		return err
	}
	if err := r.signed.addReport(r, filepath.Join(p.Options.Report, jsonFile), true); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		to   **publish.File
	}{{plan.File, &p.plan}, {plan.OrderFile, &p.order}} {
		if *f.to, err = r.add(filepath.Join(p.Options.Report, f.name), true); err != nil {
			return err
		}
	}
	if p.views, err = r.addViews(p.Options.Report); err != nil {
		return err
	}
	if err := p.pinnedFiles(r); err != nil {
		return err
	}
	p.json, err = r.add(filepath.Join(p.Options.Report, jsonFile), true)
	return err
}

// documents are the files of the part's report.
func (p *part) documents(r *release, rep *report.Report) ([]documents.Document, error) {
	plan, err := p.Plan.Encode()
	if err != nil {
		return nil, err
	}
	rep.Plan = report.Hashes{Plan: p.Plan.Hash, Design: p.Plan.DesignHash}
	render.Since(rep, p.before)
	var data bytes.Buffer
	if err := rep.WriteJSON(&data); err != nil {
		return nil, err
	}
	views, err := p.views.documents(r, rep, data.Bytes())
	if err != nil {
		return nil, err
	}
	signatures, err := r.signed.signReport(r, filepath.Join(p.Options.Report, jsonFile), data.Bytes(), rep.Output.SHA256)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]documents.Document{{To: p.plan, Data: plan}, {To: p.order, Data: p.Plan.OrderCSV}, {To: p.json, Data: data.Bytes()}}, views, signatures, p.pinnedPlan(plan)), nil
}

// drawnOf is what is drawn and checked of all parts.
func drawnOf(parts []*part) []*records.Part {
	var out []*records.Part
	for _, p := range parts {
		out = append(out, &p.Part)
	}
	return out
}
