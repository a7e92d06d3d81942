package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// mostNames is the number of values that are named in a sentence.
const mostNames = 40

func caps(r *report.Report) report.Section {
	s := report.Section{ID: "caps", Title: "What an observer may come to believe"}
	if r.Guess != nil {
		var t report.Table
		t, s.Notes, s.Brief = believed(r)
		s.Tables = []report.Table{t}
	}
	allowed := grid(r.Epsilon.Target, r.Whose(), r.Grid)
	allowed.Aside = !public(r)
	s.Tables = append(s.Tables, allowed)
	if public(r) {
		s.Notes, s.Tables[0].Brief = []string{wordsOf(r.Claims, "leakage")}, len(r.Grid)
	} else if r.Guess == nil {
		s.Notes = []string{notBelieved(r)}
	}
	return s
}

// believed is what an observer can come to believe of every value, who knows the stratum where
// there are strata.
func believed(r *report.Report) (t report.Table, notes []string, brief string) {
	whom, stratum := observer(r)
	t = report.NewTable("For every value: its share of the "+r.Whose()+
		", the most that an observer who knows only these frequencies can come to believe (its share times the factor, "+
		"at most 1), and the most that some output brings about"+stratum, "value", "#records", "#share", "#after: at most",
		"#reached")
	if stratum != "" {
		t.Head, t.Numeric = slices.Insert(t.Head, 3, "largest share in a stratum"), append(t.Numeric, true)
	}
	var free, confirmed []string
	for _, c := range r.Caps {
		row := []string{show(c.Label), fmt.Sprint(c.Records), inHundred(c.Share), atMost(c.Cap),
			yes(c.Certain, "100 in 100: confirmed", atMost(c.Reached))}
		if stratum != "" {
			row = slices.Insert(row, 3, inHundred(c.Most))
		}
		if t.Rows = append(t.Rows, row); c.Cap >= 1 {
			free = append(free, show(c.Label))
		}
		if c.Certain {
			confirmed = append(confirmed, show(c.Label))
		}
	}
	notes = []string{fmt.Sprintf("Someone %s. Before the release their best guess of the value is right %s times%s. "+
		"After seeing this one published cell, and nothing else of the file, it is right %s times on average, and no guess "+
		"more than %s times.", whom, inHundred(r.Guess.Before), yes(stratum != "", " (a mean over strata)", ""),
		inHundred(r.Guess.Mean), atMost(r.Guess.Worst))}
	if stratum == "" {
		notes = append(notes, wordsOf(r.Claims, "leakage.reached"))
	}
	k := r.Scale
	notes = append(notes,
		fmt.Sprintf("Scale: the commonest value may be confirmed with certainty from epsilon %s on, the rarest, and so "+
			"every value, from %s on%s. At the epsilon reached, %s.",
			nats(k.Commonest), nats(k.Rarest), stratum, uncapped(r, k)),
		"Values that are not protected from certainty, since an output may confirm them: "+names(free, mostNames)+".",
		"Values that some output does confirm, since nothing else can give it: "+names(confirmed, mostNames)+".")
	// The short view has no count or share of one value, and no figure that tells it.
	brief = fmt.Sprintf("not protected from certainty: %s; confirmed by some output: %s", count(of(k.Uncapped), "value"),
		count(of(k.Certain), "value"))
	if note, short := story(r, whom); note != "" {
		notes, brief = append(notes, note), brief+short
	}
	return t, notes, brief
}

func uncapped(r *report.Report, s report.Scale) string {
	if of(s.Uncapped) == 0 && of(s.Certain) == 0 {
		return "no value can be confirmed with certainty"
	}
	return fmt.Sprintf("epsilon lets an output confirm %s with certainty, held by %s of the %s; some output "+
		"does confirm %s, held by %s",
		count(of(s.Uncapped), "value"), atMostPercent(of(s.UncappedRow)), r.Whose(), count(of(s.Certain), "value"),
		atMostPercent(of(s.CertainRow)))
}

// among says of which records frequencies are, where these are not all.
func among(whose string) string {
	if whose == "records" {
		return ""
	}
	return " among the " + whose + ", and that this one has one"
}

// grid is the cap of round shares: it needs no count.
func grid(target, whose string, g []report.GridCap) report.Table {
	t := report.NewTable(fmt.Sprintf("What epsilon = %s allows: a guess that is right for so many of the %s "+
		"before can be right so often after", target, whose), "#before", "#after: at most")
	for _, c := range g {
		t.Add(inHundred(c.Share), atMost(c.Cap))
	}
	return t
}

// story is the worst case of what one observer can come to believe; the short view names
// no value of the data, and no share of one.
func story(r *report.Report, whom string) (note, brief string) {
	t := r.Story
	if t == nil {
		return "", ""
	}
	stratum := ""
	if len(t.Strata) > 0 {
		stratum = fmt.Sprintf(" with %s %s", brisk(r.Strata.Given()), stratumName(report.Stratum{Names: t.Strata}))
	}
	note = fmt.Sprintf("The worst case: say a record%s is published as %s. Someone who %s guesses that it was %s: "+
		"right %s times before, %s after seeing it, %s times as likely. No guess about any record gains more.",
		stratum, show(t.Output), whom, show(t.Guess), inHundred(t.Before), atMost(t.After), gained(t))
	return note, fmt.Sprintf("; the worst case: to someone who %s, some guess becomes %s times as likely", whom,
		gained(t))
}

// gained is by what a story's guess became likelier.
func gained(t *report.Story) string {
	return times(t.Factor, math.Nextafter(math.Log(t.After/t.Before), math.Inf(1)))
}

// observer says whom beliefs are of, as a clause, and of which stratum a figure is, "" without
// strata.
func observer(r *report.Report) (whom, stratum string) {
	s := r.Strata
	if s == nil {
		return "knows only how common each value is" + among(r.Whose()), ""
	}
	return fmt.Sprintf("knows %s of the record and how common each value is among the records that share it%s",
		brisk(s.Given()), yes(s.Merged > 1, ", or one of the merged strata", "")), ", in the stratum where it is largest"
}

// notBelieved says why there are no beliefs.
func notBelieved(r *report.Report) string {
	if r.Records == 0 {
		return "There are no records."
	}
	return "Not computed: there are too many values and strata, or the plan has no records."
}
