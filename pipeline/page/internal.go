// Package page says in words and pictures what a report holds, and makes the page to
// choose a floor on. A section is one function from a report to fields, notes and
// tables, in a list; every view shows every section, so a new line is written once.
//
// The words are held to the mathematics: pointwise maximal leakage multiplies
// the chance that a guess is right, so bounds are said as "at most so many in
// 100", and never of odds; epsilon comes with its scale; and what the report
// supports is not called more than that.
package page

import (
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// sections answer the questions of a reviewer, in the order in which they are
// asked.
var sections = []func(*report.Report) report.Section{
	verdict, warnings, release, people, purpose, reasons, source, columns, domain, order, floor,
	prior, designed, strata, leakage, caps, guesses, story, together, conditional, history, pinned, risks, useful,
	analysts, randomness, alternatives, checks, limits, reproduce, glossary, difference,
}

// Internal is the whole report, for those who may see the data.
func Internal(r *report.Report) *report.Document {
	d := document("Leakage report of column ", r, sections)
	d.Style = CSS
	return d
}

// document is a report in these sections. What the table of claims and figures has
// for a section ends its fields and its short form.
func document(title string, r *report.Report, sections []func(*report.Report) report.Section) *report.Document {
	d := &report.Document{Title: title + brisk(quoted(r.Column)), Stamp: r.Stamp, Lead: claimed(r.Claims, "lead")}
	for _, make := range sections {
		s := tonight(r, make(r))
		if more := claimed(r.Claims, s.ID); len(more) > 0 && s.ID != "joint" {
			s.Fields = append(s.Fields, more...)
			s.Brief = strings.TrimPrefix(s.Brief+"; "+brief(more), "; ")
		}
		if s.Title != "" {
			d.Sections = append(d.Sections, s)
		}
	}
	return d
}

// claimed are the claims of a section.
func claimed(claims []claim.Claim, section string) (out []report.Sentence) {
	for _, c := range claim.In(claims, section) {
		out = append(out, report.Sentence{Head: c.Head, Body: c.Words})
	}
	return out
}

// wordsOf is the sentence of a claim, "" where it is not made.
func wordsOf(claims []claim.Claim, key string) string {
	c, _ := claim.Find(claims, key)
	return c.Words
}

func verdict(r *report.Report) report.Section {
	s := report.Section{ID: "verdict", Title: "Verdict", Fields: []report.Sentence{
		field("target epsilon", "%s%s", r.Epsilon.Promised(), yes(r.Epsilon.Asked == "", "", ", lowered to "+r.Epsilon.Target+
			" so that all columns together keep theirs"))}}
	if s.Brief = brief(s.Fields); public(r) {
		return s
	}
	s.Fields = append(s.Fields,
		field("reached", "%s", wordsOf(r.Claims, "leakage.reached")),
		field("floor", "%s", yes(r.Floor.Of == 0, "none: there are no values", r.Floor.Place()+drawnOnly(r))),
		field("forbidden cells found", "%d of %d records%s", r.Forbidden, judged(r), drawnOnly(r)))
	s.Brief = brief(s.Fields)
	return s
}

// judged is the number of records that the floor covers.
func judged(r *report.Report) int64 {
	if p := published(r); p != nil {
		return p.Drawn
	}
	return r.Records
}

func warnings(r *report.Report) report.Section {
	if len(r.Warnings) == 0 {
		return report.Section{ID: "warnings", Title: "Warnings", Notes: []string{"There are none."}}
	}
	return report.Section{ID: "warnings", Title: "Warnings", Items: r.Warnings}
}
