package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// inside is what people say for inside only, nil in a public report.
func inside(r *report.Report) *report.Inside {
	if public(r) {
		return nil
	}
	return cmp.Or(r.Inside, &report.Inside{})
}

// optional are the heads of declarations that may be left out.
var optional = []string{"notes", "against singling out", "against linkability", "against inference"}

// Undeclared are the heads of declarations that nobody made and somebody should.
func Undeclared(r *report.Report) []string { return missing(section("declarations", r)) }

// missing are they in their section.
func missing(declarations report.Section) (out []string) {
	for _, f := range declarations.Fields {
		if f.Body == notStated && !slices.Contains(optional, f.Head) {
			out = append(out, f.Head)
		}
	}
	return out
}

// declared is the section of what people say, without what they do not.
func declared(r *report.Report) report.Section {
	s := section("declarations", r)
	open := missing(s)
	s.Fields = slices.DeleteFunc(s.Fields, func(f report.Sentence) bool { return f.Body == notStated })
	if s.Brief = brief(s.Fields); public(r) {
		if len(s.Fields) == 0 {
			return report.Section{}
		}
		return s
	}
	if len(open) > 0 {
		s.Notes = []string{"Missing, and to be written under about: of the job file: " + strings.Join(open, ", ") + "."}
	}
	return s
}

// columns is the file and its columns, where the values come from, and what may stand for what.
func columns(r *report.Report) report.Section {
	t := report.NewTable(yes(public(r), "Columns of the published file", "What became of every top-level column"),
		"column", "type", "fate")
	for _, c := range r.Columns {
		if !public(r) || c.Fate != "dropped" {
			t.Add(quoted(c.Name), c.Type, c.Fate)
		}
	}
	s := section("data", r, t)
	for _, f := range r.Declared {
		s.Fields = append(s.Fields, field("sha256 of "+f.Name, "%s", f.SHA256))
	}
	return s
}

// fate names up to so many of the columns that became of something.
func fate(r *report.Report, what string, most int) string {
	var out []string
	for _, c := range r.Columns {
		if c.Fate == what {
			out = append(out, quoted(c.Name))
		}
	}
	return names(out, most)
}

// orderInWords says what a form of order means.
func orderInWords(form string) string {
	f, _ := utility.FormOf(form)
	return cmp.Or(f.Words, "form "+stated(form))
}
