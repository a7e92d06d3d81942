package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// about is what people say, nothing where they said nothing.
func about(a *report.About) report.About {
	if a == nil {
		return report.About{}
	}
	return *a
}

func release(r *report.Report) view.Section { return releaseOf(about(r.About), r.Made) }

func releaseOf(a report.About, made string) view.Section {
	age := notStated
	switch {
	case a.DataFrom != "" && a.DataTo != "":
		age = a.DataFrom + " to " + a.DataTo
	case a.DataFrom+a.DataTo != "":
		age = cmp.Or(a.DataFrom, a.DataTo)
	}
	s := view.Section{ID: "release", Title: "Release", Fields: []view.Sentence{
		told("id", a.Release), told("date", cmp.Or(a.Date, made)), told("data of", age), told("single or series", a.Series),
	}}
	s.Brief, s.Unsaid = brief(s.Fields), unsaid(s.Fields)
	return s
}

func people(r *report.Report) view.Section { return peopleOf(about(r.About)) }

func peopleOf(a report.About) view.Section {
	s := view.Section{ID: "people", Title: "Responsibility", Fields: []view.Sentence{
		told("owner", a.Owner), told("preparer", a.Preparer), told("reviewer", a.Reviewer), told("next review", a.NextReview),
	}}
	s.Brief, s.Unsaid = brief(s.Fields), unsaid(s.Fields)
	return s
}

func purpose(r *report.Report) view.Section { return purposeOf(about(r.About)) }

func purposeOf(a report.About) view.Section {
	s := view.Section{ID: "purpose", Title: "Purpose", Fields: []view.Sentence{
		told("purpose", a.Purpose), told("recipients", a.Recipients), told("access", a.Access), told("terms", a.Terms),
	}}
	s.Brief, s.Unsaid = brief(s.Fields), unsaid(s.Fields)
	return s
}

func reasons(r *report.Report) view.Section { return reasonsOf(about(r.About)) }

func reasonsOf(a report.About) view.Section {
	s := view.Section{ID: "why", Title: "Why", Fields: []view.Sentence{
		told("this column", a.WhyColumn), told("at this detail", a.WhyDetail),
	}}
	s.Brief, s.Unsaid = brief(s.Fields), unsaid(s.Fields)
	return s
}

func source(r *report.Report) view.Section {
	a := about(r.About)
	s := view.Section{ID: "source", Title: "Source", Fields: []view.Sentence{
		field("file", "%s", base(r.Input.Path)),
		field("sha256", "%s", cmp.Or(r.Input.SHA256, "not computed")),
		field("rows", "%d", r.Input.Rows),
		field("format", "%s, %d bytes, %s", r.Input.Format, r.Input.Bytes, count(len(r.Columns), "top-level column")),
		told("one row is", a.Row),
		told("rows per person", r.Prior.Person),
	}}
	s.Brief = fmt.Sprintf("%s, %d rows; %s", base(r.Input.Path), r.Input.Rows, brief(s.Fields[4:]))
	return s
}

func columns(r *report.Report) view.Section {
	t := view.Table{Caption: "What became of every top-level column", Head: []string{"column", "type", "fate"}, Numeric: make([]bool, 3)}
	fates := map[string][]string{}
	for _, c := range r.Columns {
		t.Rows = append(t.Rows, []string{quoted(c.Name), c.Type, c.Fate})
		fates[c.Fate] = append(fates[c.Fate], quoted(c.Name))
	}
	return view.Section{ID: "columns", Title: "Columns", Tables: []view.Table{t},
		Brief: fmt.Sprintf("privatized %s; in clear %s; dropped %s", names(fates["privatized"], 8), names(fates["published in clear"], 8), names(fates["dropped"], 8))}
}

func domain(r *report.Report) view.Section {
	s := view.Section{ID: "domain", Title: "Domain", Fields: []view.Sentence{
		field("where the values come from", "%s", domainRule(r.Domain.Rule, r.Domain.Declared)),
		field("values", "%d, of which %d occur", r.Letters, r.Domain.Observed),
		field("unseen values", "%s", r.Domain.Unseen),
		field("nulls", "%s", nullRule(r.Domain.Null, r.Nulls)),
	}}
	rule, _, _ := strings.Cut(domainRule(r.Domain.Rule, r.Domain.Declared), ":")
	s.Brief = fmt.Sprintf("%s; %s, of which %d occur; nulls: %s", rule, count(r.Letters, "value"), r.Domain.Observed, nullRule(r.Domain.Null, r.Nulls))
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

func nullRule(rule string, n *report.Nulls) string {
	var s string
	switch rule {
	case "letter":
		s = "a value like others, redrawn and inside epsilon"
	case "public":
		s = "stay as they are and reveal themselves; epsilon is conditional on presence"
	default:
		s = "refused"
	}
	if n == nil {
		return s + " (there are none)"
	}
	s += fmt.Sprintf(" (%s, %s of records", count(n.Count, "null"), percent(n.Share))
	if rule == "public" {
		s += fmt.Sprintf("; a null tells %s nats", nats(n.Nats))
	}
	return s + ")"
}

func order(r *report.Report) view.Section {
	s := view.Section{ID: "order", Title: "Utility order", Fields: []view.Sentence{
		field("what may stand for what", "%s", orderInWords(r.Order.Form)),
		field("given as", "%s", r.Order.Spec),
		field("sha256 of order.csv", "%s", r.Order.SHA256),
		field("rows with ties", "%d; the lower letter ranks lower", r.Order.Ties),
		field("letters of the order that do not occur", "%s", yes(r.Order.Extra == 0, "none", fmt.Sprintf("%d, ignored", r.Order.Extra))),
	}}
	for _, f := range r.Declared {
		s.Fields = append(s.Fields, field("sha256 of "+f.Name, "%s", f.SHA256))
	}
	s.Brief = fmt.Sprintf("%s (%s), %s with ties", orderInWords(r.Order.Form), r.Order.Spec, count(r.Order.Ties, "row"))
	return s
}

// orderInWords says what a form of order means.
func orderInWords(form string) string {
	words := map[string]string{
		"matrix":    "a table says how well each output stands for each value",
		"ranks":     "a table ranks the outputs for each value",
		"pairs":     "a list says which output may stand for which value, and how well",
		"positions": "the nearer in space, the better",
		"ordered":   "the nearer in a list, the better",
		"circular":  "the nearer on a circle, the better",
		"numeric":   "the nearer as a number, the better",
		"hierarchy": "the lower the common group in a hierarchy, the better",
		"tree":      "the lower the common ancestor in a tree, the better",
		"prefix":    "the longer the common prefix of two codes, the better",
	}
	return cmp.Or(words[form], "form "+stated(form))
}
