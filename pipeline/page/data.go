package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// about is what people say, nothing where they said nothing.
func about(a *report.About) report.About {
	if a == nil {
		return report.About{}
	}
	return *a
}

// said is a section of what people say.
func said(id, title string, fields ...report.Sentence) report.Section {
	return report.Section{ID: id, Title: title, Fields: fields}
}

// declarations are what people say of a release, by the field.
func declarations(r *report.Report) (out []report.Sentence) {
	for _, part := range []func(*report.Report) report.Section{release, people, purpose, reasons} {
		out = append(out, part(r).Fields...)
	}
	return append(out, told("one row is", about(r.About).Row), told("rows per person", r.Prior.Person))
}

// undeclared are the heads of declarations that nobody made. Notes may be left out.
func undeclared(r *report.Report) (out []string) {
	for _, f := range declarations(r) {
		if f.Body == notStated && f.Head != "notes" {
			out = append(out, f.Head)
		}
	}
	return out
}

// declared is the section of what people say, without what they do not.
func declared(r *report.Report) report.Section {
	s := report.Section{ID: "declarations", Title: "Declarations"}
	for _, f := range declarations(r) {
		if f.Body != notStated {
			s.Fields = append(s.Fields, f)
		}
	}
	if s.Brief = brief(s.Fields); public(r) {
		if len(s.Fields) == 0 {
			return report.Section{}
		}
		return s
	}
	if missing := undeclared(r); len(missing) > 0 {
		s.Notes = []string{"Missing, and to be written under about: of the job file: " + strings.Join(missing, ", ") + "."}
	}
	return s
}

func release(r *report.Report) report.Section {
	a := about(r.About)
	age := cmp.Or(a.DataFrom, a.DataTo)
	if a.DataFrom != "" && a.DataTo != "" {
		age = a.DataFrom + " to " + a.DataTo
	}
	return said("release", "Release", told("release id", a.Release), told("release date", cmp.Or(a.Date, r.Made)),
		told("data of", age), told("single or series", a.Series))
}

func people(r *report.Report) report.Section {
	a := about(r.About)
	fields := []report.Sentence{told("owner", a.Owner), told("next review", a.NextReview)}
	if !public(r) {
		in := cmp.Or(r.Inside, &report.Inside{})
		fields = slices.Insert(fields, 1, told("contact", in.Contact), told("preparer", in.Preparer),
			told("reviewer", in.Reviewer), told("approver", in.Approver))
		fields = append(fields, told("notes", in.Notes))
	}
	return said("people", "Responsibility", fields...)
}

func purpose(r *report.Report) report.Section {
	a := about(r.About)
	return said("purpose", "Purpose", told("purpose", a.Purpose), told("recipients", a.Recipients),
		told("access", a.Access), told("terms", a.Terms))
}

func reasons(r *report.Report) report.Section {
	a := about(r.About)
	return said("why", "Necessity", told("why publish this column", a.WhyColumn), told("why in this detail", a.WhyDetail))
}

func source(r *report.Report) report.Section {
	if public(r) {
		rows := []report.Sentence{field("rows", "%d", r.Input.Rows)}
		return report.Section{ID: "source", Title: "Source", Fields: rows, Brief: brief(rows)}
	}
	return report.Section{ID: "source", Title: "Source", Fields: []report.Sentence{
		field("file", "%s", report.FileName(r.Input.Path)),
		field("sha256", "%s", cmp.Or(r.Input.SHA256, "not computed")),
		field("rows", "%d", r.Input.Rows),
		field("format", "%s, %d bytes, %s", r.Input.Format, r.Input.Bytes, count(len(r.Columns), "top-level column")),
	}, Brief: fmt.Sprintf("%s, %d rows", report.FileName(r.Input.Path), r.Input.Rows)}
}

func columns(r *report.Report) report.Section {
	t := report.NewTable("What became of every top-level column", "column", "type", "fate")
	fates := map[string][]string{}
	for _, c := range r.Columns {
		t.Add(quoted(c.Name), c.Type, c.Fate)
		fates[c.Fate] = append(fates[c.Fate], quoted(c.Name))
	}
	return report.Section{ID: "columns", Title: "Columns", Tables: []report.Table{t},
		Brief: fmt.Sprintf("privatized %s; in clear %s; dropped %s", names(fates["privatized"], 8),
			names(fates["published in clear"], 8), names(fates["dropped"], 8))}
}

func domain(r *report.Report) report.Section {
	rule := domainRule(r.Domain.Rule, r.Domain.Declared)
	s := report.Section{ID: "domain", Title: "Domain", Fields: []report.Sentence{
		field("where the values come from", "%s", rule), field("nulls", "%s", nullsOf(r))}}
	if public(r) {
		if o := r.Other; o != nil {
			s.Fields = append(s.Fields, field("rare values",
				"values of fewer than %d records are treated as %s, and floor and utility are by their own rows of the order "+
					"where it has them; which values these are was chosen from the data", o.MinCount, brisk(quoted(o.Label))))
		}
		s.Brief = brief(s.Fields)
		return s
	}
	s.Fields = slices.Insert(s.Fields, 1, field("values", "%d, of which %d occur", r.Letters, r.Domain.Observed),
		field("unseen values", "%s", r.Domain.Unseen))
	rule, _, _ = strings.Cut(rule, ":")
	s.Brief = fmt.Sprintf("%s; %s, of which %d occur; nulls: %s", rule, count(r.Letters, "value"), r.Domain.Observed,
		nullsOf(r))
	return s
}

func domainRule(rule string, declared int) string {
	switch rule {
	case "declared":
		return fmt.Sprintf("declared: a file names %s that may occur", count(declared, "value"))
	case "observed":
		return "observed: the values are those that the data hold, so which values exist is itself learned from the data"
	}
	return "from the plan"
}

// nullsOf says what becomes of nulls.
func nullsOf(r *report.Report) string {
	s := "refused"
	switch r.Domain.Null {
	case "letter":
		s = "a value like others, redrawn and inside epsilon"
	case "public":
		s = "stay as they are and reveal themselves, as a value reveals that it is there; epsilon is conditional on presence"
	}
	n := r.Nulls
	switch {
	case public(r) && s == "refused":
		return "refused: there are none"
	case public(r):
		return s
	case n == nil:
		return s + " (there are none)"
	}
	s += fmt.Sprintf(" (%s, %s of records", count(n.Count, "null"), percent(n.Share))
	switch {
	case r.Domain.Null != "public":
	case n.Factor == "":
		s += "; what presence tells is not computed, since records go on showing an earlier null or value"
	default:
		s += fmt.Sprintf("; a null tells %s nats", nats(n.Nats))
		if n.Present != "" {
			s += fmt.Sprintf(", and a value %s nats by being there", nats(n.Valued))
		}
	}
	return s + ")"
}

func order(r *report.Report) report.Section {
	s := report.Section{ID: "order", Title: "Utility order", Fields: []report.Sentence{
		field("what may stand for what", "%s", orderInWords(r.Order.Form)),
		field("given as", "%s", r.Order.Spec)}}
	if !public(r) {
		s.Fields = append(s.Fields, field("sha256 of order.csv", "%s", r.Order.SHA256),
			field("rows with ties", "%d; the lower value ranks lower", r.Order.Ties),
			field("values of the order that do not occur", "%s", yes(r.Order.Extra == 0, "none",
				fmt.Sprintf("%d, ignored", r.Order.Extra))))
	}
	for _, f := range r.Declared {
		s.Fields = append(s.Fields, field("sha256 of "+f.Name, "%s", f.SHA256))
	}
	s.Brief = fmt.Sprintf("%s (%s)%s", orderInWords(r.Order.Form), r.Order.Spec, yes(public(r), "",
		", "+count(r.Order.Ties, "row")+" with ties"))
	return s
}

// orderInWords says what a form of order means.
func orderInWords(form string) string {
	f, _ := utility.FormOf(form)
	return cmp.Or(f.Words, "form "+stated(form))
}
