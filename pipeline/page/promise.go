package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

func floor(r *report.Report) report.Section {
	words := cmp.Or(wordsOf(r.Claims, "floor.reached"), wordsOf(r.Claims, "floor"))
	switch {
	case public(r):
		return report.Section{ID: "floor", Title: "Floor", Fields: []report.Sentence{field("in words", "%s", words)},
			Brief: "in words " + words}
	case r.Floor.Of == 0:
		return report.Section{ID: "floor", Title: "Floor", Notes: []string{"There are no values, and so no replacements."}}
	}
	s := report.Section{ID: "floor", Title: "Floor", Fields: []report.Sentence{
		field("in words", "%s", words),
		field("in numbers", "%s, %s %s", r.Floor.Place(), worst(r.Utility.Unit), measured(r.Floor.Value, r.Utility.Unit)),
		field("asked for", "%s", yes(r.Floor.Asked == "best", "the best within epsilon", r.Floor.Asked)),
		field("outputs allowed per record", "%s", span(r.Floor.Least, r.Floor.Most)),
	}}
	s.Brief = fmt.Sprintf("%s; %s %s; %s per record", words, worst(r.Utility.Unit),
		measured(r.Floor.Value, r.Utility.Unit), span(r.Floor.Least, r.Floor.Most)+" outputs")
	if r.Floor.NextNeed != "" {
		s.Fields = append(s.Fields, field("next better floor", "%s needs --max-factor %s with this design",
			r.Floor.Next(), short(r.Floor.NextNeed)))
	}
	return s
}

// designed is the mechanism, and the prior that its epsilon is relative to.
func designed(r *report.Report) report.Section {
	s := report.Section{ID: "mechanism", Title: "Mechanism and prior", Fields: []report.Sentence{
		field("family", "%s", family(r)),
		field("why", "%s", why(r)),
		field("proof", "%s", bracket(r)),
		field("relative to", "%s", relativeTo(r)),
		field("this file", "%s", cmp.Or(wordsOf(r.Claims, "leakage.own"), wordsOf(r.Claims, "leakage.reached"))),
		field("share of the commonest value", "%s of the %s", percent(r.Prior.Max), r.Whose()),
		field("share of the rarest value that occurs", "%s of the %s", percent(r.Prior.Min), r.Whose()),
		field("declared values without a record", "%d", r.Prior.Unseen),
	}}
	if r.Prior.Late > 0 {
		s.Fields = append(s.Fields, field("values with records here, and none when the plan was made", "%d", r.Prior.Late))
	}
	s.Fields = append(s.Fields, populationFields(r)...)
	s.Brief = family(r) + "; " + bracket(r) + "; relative to "
	if r.Population != nil {
		s.Brief += briefReadings(r)
	} else {
		s.Brief += relativeTo(r) + ", not a population; delta 0"
	}
	return s
}

// openBracket is the width of a bracket, in nats, from which on it is told of.
const openBracket = 1e-3

// bracket is what is proven of the least factor at the floor.
func bracket(r *report.Report) string {
	said := fmt.Sprintf("no mechanism with this floor has a factor below %s; one with %s is known",
		shortDown(r.Design.Lower), short(r.Design.Upper))
	if gap := logarithm(r.Design.Upper) - logarithm(r.Design.Lower); gap > openBracket {
		said += fmt.Sprintf(": the least epsilon is known to %s nats", report.RoundUp(gap, 4))
	}
	return said
}

func family(r *report.Report) string {
	kind := r.Design.Kind
	if kind == "optimal" && r.Prior.Held() {
		return kind + ": the best found at this floor and epsilon under two priors at once"
	}
	if words := design.Words(kind); words != "" {
		return kind + ": " + words
	}
	if kind == "strata" {
		return "by stratum: see the section on strata"
	}
	return kind + ": nothing is redrawn"
}

func why(r *report.Report) string {
	if r.Design.Prefer == "recovery" {
		return "shares that can be estimated were preferred to utility"
	}
	if asked := r.Design.Asked; asked != "auto" && asked != "" {
		return "it was asked for"
	}
	s := "of all designs it has the best floor within epsilon, and there the largest expected utility"
	if r.Command == "apply" || r.Pinned.Followed() {
		s = "the plan says so"
	}
	if r.Design.Prefer == "unchanged" {
		s += "; unchanged records were preferred to utility"
	}
	if r.Design.Stopped {
		s += "; time, not proof, ended the search"
	}
	return s
}

func leakage(r *report.Report) report.Section {
	caption := "Leakage of every output that can occur"
	if r.Strata != nil {
		caption += "; for whoever does not know " + brisk(r.Strata.Given()) + " of the record"
	}
	t := report.NewTable(caption, "output", "#epsilon", "#factor", "#values that may give it", "#share of "+r.Whose())
	earlier := published(r) != nil
	if earlier {
		t.Caption = "Every output that occurs or can occur: what a new draw tells, and the most that a row tells " +
			"that was not drawn anew"
		t.Heads("#rows not drawn anew", "#factor of these: at most")
	}
	for _, o := range r.Outputs {
		row := []string{show(o.Label), nats(o.Nats), short(o.Factor), fmt.Sprint(o.Support), percent(o.Share)}
		if o.Factor == "" {
			row[1], row[2], row[3] = "not drawn", "", ""
		}
		if earlier {
			row = append(row, fmt.Sprint(o.EarlierRows), yes(o.Earlier == "", yes(o.EarlierRows == 0, "", "none"),
				short(o.Earlier)))
		}
		t.Rows = append(t.Rows, row)
	}
	s := report.Section{ID: "leakage", Title: "Leakage per output", Tables: []report.Table{t}}
	s.Brief = count(len(r.Outputs), "output")
	where := ""
	if g := r.Strata; g != nil && (g.GivenOnly || g.KnownNats >= g.OverallNats) {
		where = " of one stratum"
	}
	if b := r.Binding; b != nil {
		s.Notes = []string{fmt.Sprintf("Epsilon is decided by output %s, which %s may give; %s one of these.", show(b.Output),
			count(b.Letters, "value"), yes(b.Records == 1, "1 record"+where+" holds", fmt.Sprintf("%d records%s hold", b.Records,
				where)))}
		s.Brief += fmt.Sprintf("; epsilon is decided by one that %s may give", count(b.Letters, "value"))
	}
	return s
}

// relativeTo names the prior.
func relativeTo(r *report.Report) string {
	switch r.Prior.Of {
	case "the plan":
		return "the counts of the plan that was followed"
	case "declared prior":
		return "a declared prior; where records are counted by value below, they are its weights"
	case "this file, smoothed":
		return "the histogram of this file with " + r.Prior.Smooth +
			" records added for every value; where records are counted by value below, they are its weights"
	}
	return "the histogram of this file, exactly"
}

func ownNats(r *report.Report) string {
	if r.Prior.Own != "" {
		return nats(r.Prior.OwnNats)
	}
	return nats(r.Epsilon.Nats)
}

// briefReadings are both readings in a line.
func briefReadings(r *report.Report) string {
	s := fmt.Sprintf("%s; this file: epsilon %s (delta 0); the population: ", strings.Split(relativeTo(r), ";")[0],
		ownNats(r))
	b := r.Population
	if !b.Bounded {
		return s + "nothing can be said"
	}
	return s + fmt.Sprintf("at most %s with probability 1 - %s over the sample, by rule %q", nats(b.Nats), b.Delta, b.Rule)
}

// populationFields are the second reading, its rules and what it needs.
func populationFields(r *report.Report) []report.Sentence {
	out := []report.Sentence{field("the population", "%s", cmp.Or(wordsOf(r.Claims, "leakage.population"),
		"nothing is claimed of it (--confidence)"))}
	if m := r.Other; m != nil {
		out = append(out, field("treated alike", "%s of %s, each fewer than %d, and %s later: all have the row of %s",
			count(m.Letters, "value"), count(m.Records, "record"), m.MinCount, yes(m.Adopted == 0, "any that come",
				fmt.Sprintf("%d that came", m.Adopted)), brisk(quoted(m.Label))))
	}
	b := r.Population
	if b == nil {
		return out
	}
	var tried []string
	heading := "rules for the population, which share its delta"
	if len(b.Strata) > 0 {
		heading = "rules for the worst stratum, which share delta with those for the others"
	}
	for _, t := range b.Rules {
		said := "nothing can be said"
		if t.Bounded {
			said = "at most " + nats(t.Nats)
		}
		switch t.Rule {
		case "letters":
			said += fmt.Sprintf(", %s", count(b.Letters, "value"))
		case "split":
			said += fmt.Sprintf(", %s", count(t.Records, "record"))
		}
		tried = append(tried, fmt.Sprintf("%s: %s (share %.3g)", t.Rule, said, t.Delta))
	}
	return append(out, field(heading, "%s", strings.Join(tried, "; ")),
		field("that holds if", "%s", strings.Join(b.If, "; ")))
}
