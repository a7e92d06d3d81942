package page

import (
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// ofTonight are the sections that describe tonight's mechanism.
var ofTonight = []string{"caps", "guess", "worst", "analysts", "leakage", "floor", "utility"}

// undrawn are those of them that take what every row was drawn from.
var undrawn = []string{"caps", "guess", "worst", "analysts"}

// published is by which draws the rows of a release were published; nil where
// all were drawn by its mechanism.
func published(r *report.Report) *report.Published {
	if r.History.Series == nil || r.History.Series.Published.Earlier() == 0 {
		return nil
	}
	return r.History.Series.Published
}

// tonight limits a section to the rows that it is about.
func tonight(r *report.Report, s report.Section) report.Section {
	p := published(r)
	switch {
	case p == nil || !slices.Contains(ofTonight, s.ID):
	case slices.Contains(undrawn, s.ID):
		said := "Not computed: " + report.EarlierShown + ". What single rows tell stands in the section on history."
		return report.Section{ID: s.ID, Title: s.Title, Notes: []string{said}, Brief: said}
	default:
		s.Notes = append([]string{fmt.Sprintf("Of tonight's mechanism, which %s drawn by; %s not (see the section on "+
			"history).",
			yes(p.Drawn == 1, "1 row is", fmt.Sprintf("%d rows are", p.Drawn)), yes(p.Earlier() == 1, "1 row is",
				fmt.Sprintf("%d rows are", p.Earlier())))}, s.Notes...)
	}
	return s
}

// drawnOnly says of which rows a figure is, where not of all.
func drawnOnly(r *report.Report) string {
	return yes(published(r) == nil, "", ", of rows drawn tonight")
}

// ofAll says of what a mean is, where not of the rows as published.
func ofAll(r *report.Report) string {
	return yes(published(r) == nil, "", ", had all rows been drawn tonight")
}

// shownRows are the rows that are not drawn tonight, by the outputs they show.
func shownRows(r *report.Report) (fields []report.Sentence, tables []report.Table) {
	p := published(r)
	if p == nil {
		return nil, nil
	}
	fields = []report.Sentence{field("drawn tonight", "%d of %d rows", p.Drawn, p.Drawn+p.Earlier())}
	t := report.Table{Caption: "Rows that are not drawn tonight: what they show, and the most that one of them tells",
		Head: []string{"how", "shows", "rows", "factor"}, Numeric: []bool{false, false, true, true}}
	for _, w := range []struct {
		head string
		of   *report.Shown
	}{{"held", p.Held}, {"repeated", p.Repeated}, {"suppressed", p.Suppressed}} {
		if w.of == nil {
			continue
		}
		for _, key := range []string{"leakage.", "floor."} {
			if words := wordsOf(r.Claims, key+w.head); words != "" {
				fields = append(fields, report.Sentence{Head: w.head + yes(key == "floor.", ", worst", ""), Body: words})
			}
		}
		for _, o := range w.of.Outputs {
			t.Rows = append(t.Rows, []string{w.head, show(o.Label), fmt.Sprint(o.Rows),
				yes(o.Factor == "", "none", short(o.Factor))})
		}
	}
	return fields, []report.Table{t}
}
