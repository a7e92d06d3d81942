package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Public is the report for everyone.
func Public(p *report.Public) *report.Document {
	a := about(p.About)
	d := &report.Document{Title: "Public leakage report of column " + brisk(quoted(p.Column)), Stamp: p.Stamp,
		Lead: lead(p.Claims), Sections: []report.Section{
			publicVerdict(p), releaseOf(a, ""), peopleOf(a), purposeOf(a), reasonsOf(a), publicSource(p, a), publicColumns(p),
			publicDomain(p), publicOrder(p), publicFloor(p),
			publicMechanism(p), publicCaps(p), publicTogether(p), publicRisks(p, a), publicRandomness(p), withheld(p),
			limits(nil), publicReproduce(p), publicGlossary(), differenceOf(p.Changes),
		}}
	d.Sections = slices.DeleteFunc(d.Sections, func(s report.Section) bool { return s.Title == "" })
	return d
}

func publicVerdict(p *report.Public) report.Section {
	s := report.Section{ID: "verdict", Title: "Verdict", Fields: slices.Concat([]report.Sentence{field("target epsilon",
		"%s", p.Target)}, claimed(p.Claims, "verdict"))}
	s.Brief = brief(s.Fields)
	return s
}

func publicSource(p *report.Public, a report.About) report.Section {
	s := report.Section{ID: "source", Title: "Source", Fields: []report.Sentence{
		field("rows", "%d", p.Rows), told("one row is", a.Row), told("rows per person", a.Persons),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicColumns(p *report.Public) report.Section {
	t := report.Table{Caption: "Columns of the published file", Head: []string{"column", "type", "fate"},
		Numeric: make([]bool, 3)}
	for _, c := range p.Columns {
		t.Rows = append(t.Rows, []string{quoted(c.Name), c.Type, c.Fate})
	}
	dropped := "none was named"
	if len(p.Dropped) > 0 {
		dropped = names(p.Dropped, mostNames)
	}
	if p.Kept {
		dropped = "every column that is not listed"
	}
	s := report.Section{ID: "columns", Title: "Columns", Tables: []report.Table{t},
		Fields: []report.Sentence{field("dropped", "%s", dropped)}}
	private := []string{}
	for _, c := range p.Columns {
		if c.Fate == "privatized" {
			private = append(private, quoted(c.Name))
		}
	}
	s.Brief = fmt.Sprintf("%s privatized, %s published in clear; dropped: %s", names(private, mostNames),
		count(inClear(p), "column"), dropped)
	return s
}

// inClear counts the columns beside those that were redrawn.
func inClear(p *report.Public) int {
	n := 0
	for _, c := range p.Columns {
		if c.Fate != "privatized" {
			n++
		}
	}
	return n
}

func publicDomain(p *report.Public) report.Section {
	s := report.Section{ID: "domain", Title: "Domain", Fields: []report.Sentence{
		field("where the values come from", "%s", domainRule(p.Domain.Rule, p.Domain.Declared)),
		field("nulls", "%s", publicNulls(p)),
	}}
	if o := p.Domain.Other; o != nil {
		s.Fields = append(s.Fields, field("rare values",
			"values of fewer than %d records are treated as %s, and floor and utility are by their own rows of the order "+
				"where it has them; which values these are was chosen from the data", o.MinCount, brisk(quoted(o.Label))))
	}
	s.Brief = brief(s.Fields)
	return s
}

func publicNulls(p *report.Public) string {
	switch p.Domain.Null {
	case "letter":
		return "a value like others, redrawn and inside epsilon"
	case "public":
		return "stay as they are and reveal themselves, as a value reveals that it is there; epsilon is conditional on " +
			"presence"
	}
	if _, ok := claim.Find(p.Claims, "leakage.earlier"); ok {
		return nullsHidden
	}
	return "refused: there are none"
}

func publicOrder(p *report.Public) report.Section {
	s := report.Section{ID: "order", Title: "Utility order", Fields: []report.Sentence{
		field("what may stand for what", "%s", orderInWords(p.Order.Form)), field("given as", "%s", p.Order.Spec),
	}}
	for _, f := range p.Declared {
		s.Fields = append(s.Fields, field("sha256 of "+f.Name, "%s", f.SHA256))
	}
	s.Brief = fmt.Sprintf("%s (%s)", orderInWords(p.Order.Form), p.Order.Spec)
	return s
}

func publicFloor(p *report.Public) report.Section {
	s := report.Section{ID: "floor", Title: "Floor", Fields: []report.Sentence{field("in words", "%s",
		wordsOf(p.Claims, "floor"))}}
	s.Brief = brief(s.Fields)
	return s
}

func publicMechanism(p *report.Public) report.Section {
	s := report.Section{ID: "mechanism", Title: "Mechanism", Fields: []report.Sentence{
		field("asked for", "%s", yes(p.Design == "" || p.Design == "auto", "the best of all designs", p.Design)),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicCaps(p *report.Public) report.Section {
	s := report.Section{ID: "caps", Title: "What may be believed",
		Tables: []report.Table{grid(p.Target, p.Whose(), p.Grid)}, Notes: []string{
			wordsOf(p.Claims, "leakage"),
			fmt.Sprintf("This epsilon lets an output confirm with certainty a value that %s %s hold, or more.",
				downTo(1/p.Factor), p.Whose()),
		}}
	s.Tables[0].Brief = len(p.Grid)
	s.Brief = fmt.Sprintf("an output may confirm with certainty a value that %s %s hold, or more", downTo(1/p.Factor),
		p.Whose())
	return s
}

func publicRisks(p *report.Public, a report.About) report.Section {
	return risksOf(a, inClear(p), wordsOf(p.Claims, "leakage"), "not part of a public report")
}

func publicRandomness(p *report.Public) report.Section {
	return randomness(&report.Report{Draws: p.Draws})
}

func withheld(*report.Public) report.Section {
	return report.Section{ID: "withheld", Title: "Left out", Notes: []string{
		"The epsilon that was reached, the shares of values, utilities, bounds, alternatives and every hash of something " +
			"that holds counts are left out on purpose: each tells something of the counts. " +
			"A commitment under a secret key ties this report to the internal one; whoever is shown that report and its key " +
			"can check it."},
		Brief: "whatever tells something of the counts: epsilon reached, shares, utilities, bounds, alternatives, hashes " +
			"of input and plan"}
}

func publicReproduce(p *report.Public) report.Section {
	s := report.Section{ID: "reproduce", Title: "Reproduce", Fields: []report.Sentence{
		field("version", "tacet %s", stated(p.Version)),
		field("output", "%s, %d rows, %d bytes, %s", p.Output.Name, p.Output.Rows, p.Output.Bytes, p.Output.Format),
		field("sha256 of the output", "%s", cmp.Or(p.Output.SHA256, "not computed")),
		field("verify", "tacet verify --report report.json --output %s", report.Shell(p.Output.Name)),
	}}
	s.Brief = brief(s.Fields[:3])
	return s
}

// publicGlossary leaves out words that the public report does not use.
func publicGlossary() report.Section {
	s := glossary(nil)
	var kept []report.Sentence
	for _, f := range s.Fields {
		if f.Head != "proof" && f.Head != "support" {
			kept = append(kept, f)
		}
	}
	s.Fields = kept
	return s
}
