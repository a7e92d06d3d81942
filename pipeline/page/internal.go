// Package page says in words and pictures what a report holds. It also makes the page
// on which a user chooses a floor. The sections stand in sections.tmpl, and a function adds
// the tables of one that have a row for every value. Every view shows every section, so a new
// line is written once.
//
// The words are held to the mathematics. Pointwise maximal leakage multiplies the chance
// that a guess is right: a bound is said as "at most so many in 100", and never of odds.
// Epsilon comes with its scale. No sentence says more than the report supports.
package page

import (
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A maker makes a section of a report, one without a title where it has none.
type maker = func(*report.Report) report.Section

// sections answer the questions of a reviewer, in the order in which they are asked.
var sections = []maker{conditional, together, plain("history"), useful, declared, plain("verdict")}

// annex has what a reviewer looks up.
var annex = []maker{plain("strata"), caps, plain("floor"), columns, plain("limits"), leakage, plain("mechanism"),
	plain("reproduce"), plain("glossary")}

// Internal is the whole report, for those who may see the data.
func Internal(r *report.Report) *report.Document {
	d := document("Leakage report of column ", r, sections, annex)
	pageOne(d, r)
	d.Name, d.Style = releaseName(r, releaseID(r)), CSS
	return d
}

// document is a report in these sections.
func document(title string, r *report.Report, sections, annex []maker) *report.Document {
	d := &report.Document{Title: title + brisk(quoted(r.Column)), Stamp: r.Stamp}
	long := report.Section{ID: "tables", Title: "All numbers"}
	for _, make := range sections {
		if s := made(r, make); s.Title != "" {
			shorten(&s, &long)
			d.Sections = append(d.Sections, s)
		}
	}
	if len(long.Tables) > 0 {
		d.Annex = append(d.Annex, long)
	}
	for _, make := range annex {
		if s := made(r, make); s.Title != "" {
			d.Annex = append(d.Annex, s)
		}
	}
	return d
}

// made is a section of a report. What the table of claims and figures has for it ends
// its fields and its short form.
func made(r *report.Report, make maker) report.Section {
	s := make(r)
	if more := claimed(r.Claims, s.ID); len(more) > 0 && s.ID != "joint" {
		s.Fields = append(s.Fields, more...)
		s.Brief = strings.TrimPrefix(s.Brief+"; "+brief(more), "; ")
	}
	return s
}

// mostRows are those of a table that a reviewer reads in passing.
const mostRows = 12

// shorten leaves the short tables in a section, and moves the others to one of the annex.
func shorten(s, long *report.Section) {
	all := s.Tables
	s.Tables = nil
	for _, t := range all {
		if len(t.Rows) <= mostRows && !t.Aside {
			s.Tables = append(s.Tables, t)
			continue
		}
		s.Longer, long.Tables = long.ID, append(long.Tables, t)
	}
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
