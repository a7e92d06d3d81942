// Package page says in words what a report holds. A section is one function
// from a report to fields, notes and tables, in a list; every view shows every
// section, so a new line is written here once.
//
// The words are held to the mathematics: pointwise maximal leakage multiplies
// the chance that a guess is right, so bounds are said as "at most so many in
// 100", and never of odds; epsilon comes with its scale; and what the report
// supports is not called more than that.
package page

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/picture"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// sections answer the questions of a reviewer, in the order in which they are
// asked.
var sections = []func(*report.Report) view.Section{
	verdict, warnings, release, people, purpose, reasons, source, columns, domain, order, floor,
	prior, design, strata, leakage, caps, guesses, story, together, conditional, history, pinned, risks, utility,
	analysts, randomness, alternatives, checks, limits, reproduce, glossary, difference,
}

// Internal is the whole report, for those who may see the data.
func Internal(r *report.Report) *view.Document {
	d := &view.Document{Title: "Leakage report of column " + brisk(quoted(r.Column)), Stamp: r.Stamp, Lead: lead(r), Style: picture.CSS}
	for _, make := range sections {
		s := make(r)
		if s.Title != "" {
			d.Sections = append(d.Sections, s)
		}
	}
	return d
}

// lead is what everybody must read.
func lead(r *report.Report) []view.Sentence {
	return []view.Sentence{
		{Head: "What was promised", Body: promisedBy(r)},
		{Head: "What was reached", Body: reached(r)},
		{Head: "What it does not mean", Body: meant(r)},
	}
}

const notMeant = "relative to this file's own histogram, for an observer of one row's cell. It is per row: several rows of one " +
	"person together can say more (rows per person: %s). It says nothing about the population, and what columns " +
	"published beside it tell is not in epsilon."

// promised is what was asked for, in words.
func promised(column, target string) string {
	return fmt.Sprintf("no published value makes any guess about a record's true %s more than e^epsilon times as often right, epsilon = %s.",
		brisk(quoted(column)), target)
}

// reached is what the written file keeps, in words.
func reached(r *report.Report) string {
	if r.Floor.Of == 0 {
		return "there was nothing to privatize."
	}
	s := fmt.Sprintf("at most %s times as often (epsilon %s, rounded up%s), and no record was replaced by anything worse than rank %d of %d",
		factorOf(r), nats(r.Epsilon.Nats), exactly(r.Epsilon.Factor), r.Floor.Rank, r.Floor.Of)
	if r.Floor.InWords != "" {
		s += " (" + brisk(r.Floor.InWords) + ")"
	}
	return s + "."
}

func verdict(r *report.Report) view.Section {
	s := view.Section{ID: "verdict", Title: "Verdict", Fields: []view.Sentence{
		field("target epsilon", "%s", r.Epsilon.Target),
		field("reached", "%s nats, rounded up (factor %s)", nats(r.Epsilon.Nats), short(r.Epsilon.Factor)),
		field("floor", "%s", yes(r.Floor.Of == 0, "none: there are no letters", fmt.Sprintf("rank %d of %d", r.Floor.Rank, r.Floor.Of))),
		field("forbidden cells found", "%d of %d records", r.Forbidden, r.Records),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func warnings(r *report.Report) view.Section {
	if len(r.Warnings) == 0 {
		return view.Section{ID: "warnings", Title: "Warnings", Notes: []string{"There are none."}}
	}
	return view.Section{ID: "warnings", Title: "Warnings", Items: r.Warnings}
}
