package page

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// publicSections and publicAnnex are those that a public report has. They are made by the
// functions of the internal report, from a report that holds nothing but what is public.
var (
	publicSections = []maker{plain("floor"), caps, together, plain("verdict"), columns, declared, plain("limits")}
	publicAnnex    = []maker{plain("reproduce"), plain("glossary")}
)

// Public is the report for everyone: first what somebody needs who uses the column.
func Public(p *report.Public) *report.Document {
	use, r := func(*report.Report) report.Section { return section("use", p) }, opened(p)
	d := document("Public leakage report of column ", r, slices.Insert(slices.Clone(publicSections), 0, use),
		publicAnnex)
	d.Name = releaseName(r, idOf(p))
	pageOne(d, r)
	// with the claim of the shift
	d.Lead = append([]report.Sentence{{Head: "counting", Body: say("countable", p)}}, d.Lead...)
	d.More = slices.DeleteFunc(d.More, func(s report.Sentence) bool { return s.Body == wordsOf(r.Claims, "shift") })
	return d
}

// public reports whether a report was made of one that everybody may see.
func public(r *report.Report) bool { return r.Schema == report.PublicSchema }

// opened is a public report as an internal one that lacks all the rest.
func opened(p *report.Public) *report.Report {
	r := &report.Report{Schema: report.PublicSchema, Claims: p.Claims, Column: p.Column, Most: p.Factor, Grid: p.Grid,
		Stated: report.Stated{Version: p.Version, Stamp: p.Stamp, About: p.About, Columns: p.Columns, Declared: p.Declared,
			Draws: p.Draws},
		Epsilon: report.Epsilon{Target: p.Target}, Input: report.File{Rows: p.Rows},
		Domain: report.Domain{Rule: p.Domain.Rule, Declared: p.Domain.Declared, Null: p.Domain.Null},
		Order:  report.Order{Form: p.Order.Form, Spec: p.Order.Spec}, Prior: report.Prior{Person: of(p.About).Persons},
		Design: report.Design{Asked: p.Design},
		Output: report.File{Path: p.Output.Name, SHA256: p.Output.SHA256, Rows: p.Output.Rows, Bytes: p.Output.Bytes,
			Format: p.Output.Format, Dialect: p.Output.Dialect}}
	if o := p.Domain.Other; o != nil {
		r.Other = &report.Other{Label: o.Label, MinCount: o.MinCount}
	}
	for _, name := range p.Dropped {
		r.Columns = append(r.Columns[:len(r.Columns):len(r.Columns)], report.Column{Name: name, Fate: "dropped"})
	}
	if p.Kept {
		r.Settings = append(r.Settings, report.Setting{Name: "keep", Value: "true"})
	}
	r.Beside.State = "not part of a public report"
	return r
}
