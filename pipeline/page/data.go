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

// declarations are what people say of a release, by the field.
func declarations(r *report.Report) []report.Sentence {
	a := about(r.About)
	age := cmp.Or(a.DataFrom, a.DataTo)
	if a.DataFrom != "" && a.DataTo != "" {
		age = a.DataFrom + " to " + a.DataTo
	}
	out := []report.Sentence{told("release id", a.Release), told("release date", cmp.Or(a.Date, r.Made)),
		told("data of", age), told("single or series", a.Series), told("owner", a.Owner)}
	in := cmp.Or(r.Inside, &report.Inside{})
	if !public(r) {
		out = append(out, told("contact", in.Contact), told("preparer", in.Preparer), told("reviewer", in.Reviewer),
			told("approver", in.Approver))
	}
	out = append(out, told("next review", a.NextReview))
	if !public(r) {
		out = append(out, told("notes", in.Notes))
	}
	return append(out, told("purpose", a.Purpose), told("recipients", a.Recipients), told("access", a.Access),
		told("terms", a.Terms), told("why publish this column", a.WhyColumn), told("why in this detail", a.WhyDetail),
		told("against singling out", a.SinglingOut), told("against linkability", a.Linkability),
		told("against inference", a.Inference), told("one row is", a.Row), told("rows per person", r.Prior.Person))
}

// optional are the heads of declarations that may be left out.
var optional = []string{"notes", "against singling out", "against linkability", "against inference"}

// Undeclared are the heads of declarations that nobody made and somebody should.
func Undeclared(r *report.Report) (out []string) {
	for _, f := range declarations(r) {
		if f.Body == notStated && !slices.Contains(optional, f.Head) {
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
	if missing := Undeclared(r); len(missing) > 0 {
		s.Notes = []string{"Missing, and to be written under about: of the job file: " + strings.Join(missing, ", ") + "."}
	}
	return s
}

// columns is the file and its columns, where the values come from, and what may stand for what.
func columns(r *report.Report) report.Section {
	s := report.Section{ID: "data", Title: "Data"}
	t := report.NewTable("What became of every top-level column", "column", "type", "fate")
	fates := map[string][]string{}
	for _, c := range r.Columns {
		fates[c.Fate] = append(fates[c.Fate], quoted(c.Name))
		if !public(r) || c.Fate != "dropped" {
			t.Add(quoted(c.Name), c.Type, c.Fate)
		}
	}
	s.Tables = []report.Table{t}
	if public(r) {
		dropped := yes(len(fates["dropped"]) == 0, "none was named", names(fates["dropped"], mostNames))
		if r.Setting("keep") != "" {
			dropped = "every column that is not listed"
		}
		s.Tables[0].Caption = "Columns of the published file"
		s.Fields = []report.Sentence{field("rows", "%d", r.Input.Rows), field("dropped", "%s", dropped)}
		s.Brief = fmt.Sprintf("%s privatized, %s published in clear; dropped: %s", names(fates["privatized"], mostNames),
			count(clear(r), "column"), dropped)
	} else {
		s.Fields = []report.Sentence{field("file", "%s, %d rows, %d bytes, %s, %s", report.FileName(r.Input.Path),
			r.Input.Rows, r.Input.Bytes, r.Input.Format, count(len(r.Columns), "top-level column"))}
		s.Brief = fmt.Sprintf("%s, %d rows; privatized %s; in clear %s; dropped %s", report.FileName(r.Input.Path),
			r.Input.Rows, names(fates["privatized"], 8), names(fates["published in clear"], 8), names(fates["dropped"], 8))
	}
	s.Fields = slices.Concat(s.Fields, domain(r), order(r))
	s.Brief += fmt.Sprintf("; nulls: %s; %s (%s)", nullsOf(r), orderInWords(r.Order.Form), r.Order.Spec)
	return s
}

// domain says where the values come from.
func domain(r *report.Report) []report.Sentence {
	out := []report.Sentence{field("where the values come from", "%s", domainRule(r.Domain.Rule, r.Domain.Declared)),
		field("nulls", "%s", nullsOf(r))}
	if !public(r) {
		return append(out, field("values", "%d, of which %d occur", r.Letters, r.Domain.Observed),
			field("unseen values", "%s", r.Domain.Unseen))
	}
	if o := r.Other; o != nil {
		out = append(out, field("rare values",
			"values of fewer than %d records are treated as %s, and floor and utility are by their own rows of the order "+
				"where it has them; which values these are was chosen from the data", o.MinCount, brisk(quoted(o.Label))))
	}
	return out
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
	case "draw":
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

// order says what may stand for what.
func order(r *report.Report) []report.Sentence {
	out := []report.Sentence{field("what may stand for what", "%s (%s)", orderInWords(r.Order.Form), r.Order.Spec)}
	if !public(r) {
		out = append(out, field("sha256 of order.csv", "%s", r.Order.SHA256),
			field("rows with ties", "%s; the lower value ranks lower", yes(r.Order.Ties == utility.Uncounted,
				"not counted", fmt.Sprint(r.Order.Ties))),
			field("values of the order that do not occur", "%s", yes(r.Order.Extra == 0, "none",
				fmt.Sprintf("%d, ignored", r.Order.Extra))))
	}
	for _, f := range r.Declared {
		out = append(out, field("sha256 of "+f.Name, "%s", f.SHA256))
	}
	return out
}

// orderInWords says what a form of order means.
func orderInWords(form string) string {
	f, _ := utility.FormOf(form)
	return cmp.Or(f.Words, "form "+stated(form))
}
