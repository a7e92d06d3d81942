package page

import (
	"cmp"
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// chosen names the one figure of a public report that depends on the data.
const chosen = "the best within epsilon: the one figure of this report that was chosen from the data; declare it with --floor-rank or --floor-value to avoid that"

// Public is the report for everyone.
func Public(p *report.Public) *view.Document {
	a := about(p.About)
	return &view.Document{Title: "Public leakage report of column " + brisk(quoted(p.Column)), Stamp: p.Stamp, Lead: publicLead(p), Sections: []view.Section{
		publicVerdict(p), releaseOf(a, ""), peopleOf(a), purposeOf(a), reasonsOf(a), publicSource(p, a), publicColumns(p), publicDomain(p), publicOrder(p), publicFloor(p),
		publicMechanism(p), publicCaps(p), publicRisks(p, a), publicRandomness(p), withheld(p), limits(nil), publicReproduce(p), publicGlossary(), differenceOf(p.Changes),
	}}
}

func publicLead(p *report.Public) []view.Sentence {
	return []view.Sentence{
		{Head: "What was promised", Body: promisedGiven(p.Given, p.Column, p.Target)},
		{Head: "What was reached", Body: fmt.Sprintf("at most that: at most %s times as often, and %s.", report.RoundUp(p.Factor, 4), floorOf(p.Floor))},
		{Head: "What it does not mean", Body: fmt.Sprintf(notMeant, brisk(stated(about(p.About).Persons)))},
	}
}

// floorOf is the floor as a clause.
func floorOf(f report.PublicFloor) string {
	switch {
	case f.Declared != "":
		return "no record was replaced by anything below the floor that was declared (" + f.Declared + ")"
	case f.Of == 0:
		return "there was nothing to replace"
	}
	s := fmt.Sprintf("no record was replaced by anything worse than rank %d of %d", f.Rank, f.Of)
	if f.InWords != "" {
		s += " (" + brisk(f.InWords) + ")"
	}
	return s
}

func publicVerdict(p *report.Public) view.Section {
	s := view.Section{ID: "verdict", Title: "Verdict", Fields: []view.Sentence{
		field("target epsilon", "%s", p.Target), field("kept", "yes, exactly"), field("floor", "%s", floorOf(p.Floor)), field("forbidden cells found", "0"),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicSource(p *report.Public, a report.About) view.Section {
	s := view.Section{ID: "source", Title: "Source", Fields: []view.Sentence{
		field("rows", "%d", p.Rows), told("one row is", a.Row), told("rows per person", a.Persons),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicColumns(p *report.Public) view.Section {
	t := view.Table{Caption: "Columns of the published file", Head: []string{"column", "type", "fate"}, Numeric: make([]bool, 3)}
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
	s := view.Section{ID: "columns", Title: "Columns", Tables: []view.Table{t}, Fields: []view.Sentence{field("dropped", "%s", dropped)}}
	private := []string{}
	for _, c := range p.Columns {
		if c.Fate == "privatized" {
			private = append(private, quoted(c.Name))
		}
	}
	s.Brief = fmt.Sprintf("%s privatized, %s published in clear; dropped: %s", names(private, mostNames), count(inClear(p), "column"), dropped)
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

func publicDomain(p *report.Public) view.Section {
	s := view.Section{ID: "domain", Title: "Domain", Fields: []view.Sentence{
		field("where the values come from", "%s", domainRule(p.Domain.Rule, p.Domain.Declared)), field("nulls", "%s", publicNulls(p.Domain.Null)),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicNulls(rule string) string {
	switch rule {
	case "letter":
		return "a value like others, redrawn and inside epsilon"
	case "public":
		return "stay as they are and reveal themselves; epsilon is conditional on presence"
	}
	return "refused: there are none"
}

func publicOrder(p *report.Public) view.Section {
	s := view.Section{ID: "order", Title: "Utility order", Fields: []view.Sentence{
		field("what may stand for what", "%s", orderInWords(p.Order.Form)), field("given as", "%s", p.Order.Spec),
	}}
	for _, f := range p.Declared {
		s.Fields = append(s.Fields, field("sha256 of "+f.Name, "%s", f.SHA256))
	}
	s.Brief = fmt.Sprintf("%s (%s)", orderInWords(p.Order.Form), p.Order.Spec)
	return s
}

func publicFloor(p *report.Public) view.Section {
	s := view.Section{ID: "floor", Title: "Floor", Fields: []view.Sentence{
		field("in words", "%s", floorOf(p.Floor)), field("chosen", "%s", yes(p.Floor.Declared != "", "declared", chosen)),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicMechanism(p *report.Public) view.Section {
	s := view.Section{ID: "mechanism", Title: "Mechanism", Fields: []view.Sentence{
		field("asked for", "%s", yes(p.Design == "" || p.Design == "auto", "the best of all designs", p.Design)),
		field("relative to", "the histogram of the file, which is not published"),
	}}
	s.Brief = brief(s.Fields)
	return s
}

func publicCaps(p *report.Public) view.Section {
	s := view.Section{ID: "caps", Title: "What can be believed", Tables: []view.Table{grid(p.Target, p.Grid)}, Notes: []string{
		fmt.Sprintf("Someone knows how common each value is, and nothing else about this record. After seeing this one published cell, and nothing else of the file, no guess can be right more than %s times as often as before. "+
			"This holds for every published value, and for any fact about the true value that they try to guess.", report.RoundUp(p.Factor, 4)),
		fmt.Sprintf("Scale: this epsilon does not exclude certainty for a value that %s records hold, or more.", atMost(1/p.Factor)),
	}}
	s.Tables[0].Brief = len(p.Grid)
	s.Brief = fmt.Sprintf("epsilon does not exclude certainty for a value that %s records hold, or more", atMost(1/p.Factor))
	return s
}

func publicRisks(p *report.Public, a report.About) view.Section {
	inference := fmt.Sprintf("bounded by epsilon %s: from the published value alone no guess about the true one becomes more than %s times as often right", p.Target, report.RoundUp(p.Factor, 4))
	return risksOf(a, inClear(p), inference, "not part of a public report")
}

func publicRandomness(p *report.Public) view.Section {
	return randomness(&report.Report{Draws: p.Draws})
}

func withheld(*report.Public) view.Section {
	return view.Section{ID: "withheld", Title: "Left out", Notes: []string{
		"The epsilon that was reached, the shares of values, utilities, bounds, alternatives and every hash of something that holds counts are left out on purpose: each tells something of the counts. " +
			"A commitment under a secret key ties this report to the internal one; whoever is shown that report and its key can check it."},
		Brief: "whatever tells something of the counts: epsilon reached, shares, utilities, bounds, alternatives, hashes of input and plan"}
}

func publicReproduce(p *report.Public) view.Section {
	s := view.Section{ID: "reproduce", Title: "Reproduce", Fields: []view.Sentence{
		field("version", "tacet %s", stated(p.Version)),
		field("output", "%s, %d rows, %d bytes, %s", p.Output.Name, p.Output.Rows, p.Output.Bytes, p.Output.Format),
		field("sha256 of the output", "%s", cmp.Or(p.Output.SHA256, "not computed")),
		field("verify", "tacet verify --report report.json --output %s", shell(p.Output.Name)),
		field("signature", "%s", "not part of this file: a signed release has its signatures beside it"),
	}}
	s.Brief = brief(s.Fields[:3])
	return s
}

// publicGlossary leaves out words that the public report does not use.
func publicGlossary() view.Section {
	s := glossary(nil)
	var kept []view.Sentence
	for _, f := range s.Fields {
		if f.Head != "certified bracket" && f.Head != "support" {
			kept = append(kept, f)
		}
	}
	s.Fields = kept
	return s
}
