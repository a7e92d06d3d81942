package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// checks are those of the written file.
func checks(r *report.Report) report.Table {
	t := report.NewTable("Checks of the written file, before it was put in place", "check", "result", "found")
	for _, c := range r.Checks {
		t.Add(c.Name, yes(c.Passed, "passed", "FAILED"), c.Detail)
	}
	return t
}

// passed names the checks of the written file, and how many of them passed.
func passed(r *report.Report) string {
	n := 0
	var found []string
	for _, c := range r.Checks {
		if c.Passed {
			n++
		}
		found = append(found, c.Name+yes(c.Passed, "", " FAILED"))
	}
	return fmt.Sprintf("%d of %d passed: %s", n, len(r.Checks), strings.Join(found, ", "))
}

// assumed is what the promise rests on, and what it does not say.
var assumed = []string{
	"Epsilon is relative to how common each value is taken to be (the prior). Someone whose beliefs differ, better or " +
		"worse informed (a relative, somebody with other columns or wrong frequencies, somebody who knows the exact " +
		"histogram and all other rows), may be moved by more.",
	"It bounds how much more often a guess is right. Outputs may rule values out with certainty; that is what makes the " +
		"floor possible.",
	"It is about one record, one release, one column. Sums of epsilons are no bound for repeats or for columns that " +
		"depend on each other.",
	"It is not differential privacy: that a record exists, facts about groups and the distribution are not hidden.",
	"Rows stay rows: other columns can single out and link, so the file may remain personal data.",
	"The prior is that of these counts: nothing is claimed about a population from which they were taken.",
	"It needs random numbers that are secret and never used again: whoever has key and plan has the data.",
	"The choice of plan and floor, a redesign or a refused run depend on the counts and are outside epsilon.",
	"It is per row: several rows of one person together say more, unless they share one draw.",
	"It makes no legal finding. It supports one on how far this column can be inferred from its published values.",
}

func limits(r *report.Report) report.Section {
	assumed := assumed
	if r.Population != nil {
		assumed = slices.Clone(assumed)
		for i, s := range assumed {
			assumed[i] = strings.Replace(s, "nothing is claimed about a population from which they were taken",
				"of the population from which they were taken only what stands there is claimed", 1)
		}
	}
	s := report.Section{ID: "limits", Title: "Not promised",
		Notes: []string{"What the promise assumes, and what it does not say:"}, Items: assumed,
		Brief: "ten assumptions and limits, and the glossary, stand in report.html"}
	if public(r) {
		s.Notes = append([]string{withheld}, s.Notes...)
	}
	return s
}

func reproduce(r *report.Report) report.Section {
	if public(r) {
		fields := []report.Sentence{field("version", "tacet %s", stated(r.Version)), writtenTo(r),
			field("sha256 of the output", "%s", cmp.Or(r.Output.SHA256, "not computed"))}
		fields = append(fields, randomness(r)...)
		return report.Section{ID: "reproduce", Title: "Published file", Fields: fields, Brief: brief(fields)}
	}
	s := report.Section{ID: "reproduce", Title: "Reproduce", Fields: []report.Sentence{
		field("version", "tacet %s", stated(r.Version)),
		field("sha256 of the input", "%s", cmp.Or(r.Input.SHA256, "not computed")),
		field("sha256 of the output", "%s", cmp.Or(r.Output.SHA256, "not computed")),
		writtenTo(r),
		field("sha256 of the plan", "%s", cmp.Or(r.Plan.Plan, "none")),
		field("sha256 of the design", "%s", cmp.Or(r.Plan.Design, "none")),
		field("command", "%s", commandLine(r)),
		field("verify", "%s, in the folder of this report", checkCommand(r, r.JointHash != "")),
		field("signature", "%s", "not part of this file: a signed report has its signature beside it"),
	}}
	s.Fields = append(s.Fields, randomness(r)...)
	t := report.NewTable("Effective options and where each came from", "option", "value", "origin")
	for _, o := range r.Settings {
		t.Add(o.Name, cmp.Or(o.Value, "(none)"), o.Origin)
	}
	s.Tables = []report.Table{t}
	key, _, _ := strings.Cut(r.Draws.Key, ",")
	s.Brief = fmt.Sprintf("output sha256 %s; tacet %s; %s draws; key: %s", cmp.Or(r.Output.SHA256, "not computed"),
		stated(r.Version), r.Draws.Kind, key)
	return s
}

func writtenTo(r *report.Report) report.Sentence {
	return field("output", "%s, %d rows, %d bytes, %s", report.FileName(r.Output.Path), r.Output.Rows, r.Output.Bytes,
		r.Output.Format)
}

// commandLine is what was asked for, as one would type it.
func commandLine(r *report.Report) string {
	line := "tacet " + stated(r.Command)
	for _, o := range r.Settings {
		switch {
		case o.Origin == "default":
		case o.Value == "true":
			line += " --" + o.Name
		default:
			line += " --" + o.Name + " " + report.Shell(o.Value)
		}
	}
	return line
}

// glossary has the words that the report uses.
func glossary(r *report.Report) report.Section {
	s := report.Section{ID: "glossary", Title: "Glossary", Fields: []report.Sentence{
		{Head: "proof", Body: "two factors, both proven in exact arithmetic, between which the least possible one lies"},
		{Head: "epsilon", Body: "the natural logarithm of the factor, in nats; pointwise maximal leakage (Saeidian, " +
			"Cervia, Oechtering and Skoglund)"},
		{Head: "factor", Body: "how many times as likely the best guess about a record can be right after its published " +
			"value was seen, for any fact about the true value"},
		{Head: "floor", Body: "the worst stand-in that any record may get, by rank or by utility"},
		{Head: "output", Body: "a value that may be published"},
		{Head: "plan", Body: "everything decided before a record was touched: counts, order, mechanism"},
		{Head: "prior", Body: "how common each value is: what the observer is taken to know"},
		{Head: "rank", Body: "place of an output in the order of a value, 1 the worst"},
		{Head: "utility", Body: "how well an output stands for a value, as the order says; more is better"},
	}}
	if public(r) {
		s.Fields = slices.DeleteFunc(s.Fields, func(f report.Sentence) bool { return f.Head == "proof" })
	}
	return s
}
