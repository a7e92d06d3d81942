package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// mostNames is the number of values that are named in a sentence.
const mostNames = 40

func caps(r *report.Report) report.Section {
	s := report.Section{ID: "caps", Title: "What may be believed", Art: capsArt(r)}
	all := readings(r)
	for _, o := range all {
		t, notes, brief := believed(r, o)
		s.Tables, s.Notes = append(s.Tables, t), append(s.Notes, notes...)
		if s.Brief != "" {
			brief = s.Brief + "; " + brief
		}
		s.Brief = brief
	}
	s.Tables = append(s.Tables, grid(r.Epsilon.Target, r.Whose(), r.Grid))
	if public(r) {
		s.Notes, s.Tables[0].Brief = []string{wordsOf(r.Claims, "leakage")}, len(r.Grid)
	} else if len(all) == 0 {
		s.Notes = []string{notBelieved(r)}
	}
	return s
}

// believed is what one observer can come to believe of every value.
func believed(r *report.Report, o reading) (t report.Table, notes []string, brief string) {
	t = report.Table{Caption: "For every value: its share of the " + r.Whose() +
		", the most that an observer who knows only these frequencies can come to believe (cap), and the most that some " +
		"output brings about" + o.strata,
		Head: []string{"value", "records", "share", "cap: at most", "reached"}, Numeric: []bool{false, true, true, true,
			true}}
	if o.who != "" {
		t.Caption += "; " + o.who
	}
	if o.strata != "" {
		t.Head, t.Numeric = slices.Insert(t.Head, 3, "largest share in a stratum"), append(t.Numeric, true)
	}
	var free, confirmed []string
	for _, c := range o.Caps {
		row := []string{show(c.Label), fmt.Sprint(c.Records), inHundred(c.Share), atMost(c.Cap),
			yes(c.Certain, "100 in 100: confirmed", atMost(c.Reached))}
		if o.strata != "" {
			row = slices.Insert(row, 3, inHundred(c.Most))
		}
		if t.Rows = append(t.Rows, row); c.Cap >= 1 {
			free = append(free, show(c.Label))
		}
		if c.Certain {
			confirmed = append(confirmed, show(c.Label))
		}
	}
	before, after := fmt.Sprintf("Someone %s. Before the release their best guess of the value is right %s times%s. ",
		o.whom, inHundred(o.Guess.Before), yes(o.mean != "", " (a mean over strata)", "")), ""
	if o.who == "" {
		after = fmt.Sprintf("After seeing this one published cell, and nothing else of the file, this guess is right at "+
			"most %s times.", atMost(min(1, value0(r.Epsilon.Factor)*o.Guess.Before)))
	} else {
		after = fmt.Sprintf("After seeing this one published cell, and nothing else of the file, it is right %s times on "+
			"average, and no guess more than %s times.", inHundred(o.Guess.Mean), atMost(o.Guess.Worst))
	}
	k := o.Scale
	notes = []string{before + after}
	if o.who == "" {
		notes = append(notes, wordsOf(r.Claims, "leakage.reached"))
	} else {
		notes[0] = strings.ToUpper(o.who[:1]) + o.who[1:] + ": " + strings.ToLower(before[:1]) + before[1:] + after
	}
	notes = append(notes,
		fmt.Sprintf("Scale: the commonest value may be confirmed with certainty from epsilon %s on, the rarest, and so "+
			"every value, from %s on%s. At the epsilon reached, %s.",
			nats(k.Commonest), nats(k.Rarest), o.strata, uncapped(r, k)),
		"Values whose cap is 1, which an output may confirm: "+names(free, mostNames)+".",
		"Values that some output does confirm, since nothing else can give it: "+names(confirmed, mostNames)+".")
	brief = fmt.Sprintf("cap 1 from %s nats on (commonest value), %s (rarest); cap 1: %s (%s of the %s); confirmed: "+
		"%s (%s); largest belief reached: %s",
		nats(k.Commonest), nats(k.Rarest), count(of(k.Uncapped), "value"), atMostPercent(of(k.UncappedRow)), r.Whose(),
		count(of(k.Certain), "value"), atMostPercent(of(k.CertainRow)), atMost(o.Guess.Worst))
	if o.who != "" {
		brief = o.who + ", " + brief
	}
	return t, notes, brief
}

// value0 is a fraction as a float, 1 where it is none.
func value0(fraction string) float64 {
	if v, ok := value(fraction); ok {
		return v
	}
	return 1
}

func uncapped(r *report.Report, s report.Scale) string {
	if of(s.Uncapped) == 0 && of(s.Certain) == 0 {
		return "no value can be confirmed with certainty"
	}
	return fmt.Sprintf("epsilon lets an output confirm %s with certainty (cap 1), held by %s of the %s; some output "+
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
	t := report.Table{Caption: fmt.Sprintf("What epsilon = %s allows: a guess that is right for so many of the %s "+
		"before can be right so often after", target, whose),
		Head: []string{"before", "after: at most"}, Numeric: []bool{true, true}}
	for _, c := range g {
		t.Rows = append(t.Rows, []string{inHundred(c.Share), atMost(c.Cap)})
	}
	return t
}

func guesses(r *report.Report) report.Section {
	s := report.Section{ID: "guess", Title: "Best guess"}
	for _, o := range readings(r) {
		g := o.Guess
		s.Fields = append(s.Fields,
			field(o.field("before"), "right %s times (always the commonest value%s)", inHundred(g.Before),
				yes(o.mean != "", " of the stratum; a mean over strata", "")),
			field(o.field("after, on average"), "right %s times", inHundred(g.Mean)),
			field(o.field("after, in the worst case"), "right %s times, for the output%s that confirms most", atMost(g.Worst),
				yes(o.mean != "", " and the stratum", "")))
		brief := fmt.Sprintf("right %s before, %s on average after, at most %s in the worst case", inHundred(g.Before),
			inHundred(g.Mean), atMost(g.Worst))
		if s.Brief != "" {
			s.Brief += "; "
		}
		s.Brief += o.field(brief)
	}
	if len(s.Fields) == 0 {
		s.Notes = []string{notBelieved(r)}
	}
	return s
}

func story(r *report.Report) report.Section {
	s := report.Section{ID: "worst", Title: "The worst case"}
	for _, o := range readings(r) {
		t := o.Story
		if t == nil {
			continue
		}
		// The short view names no value of the data, so guess and stratum are named here only.
		tell := func(guess, stratum string) string {
			return fmt.Sprintf("a record%s is published as %s. Someone who %s guesses %s: right %s times before, %s after "+
				"seeing it, %s times as likely. No guess about any record gains more.",
				stratum, show(t.Output), o.whom, guess, inHundred(t.Before), atMost(t.After), gained(t))
		}
		stratum := ""
		if len(t.Strata) > 0 {
			stratum = fmt.Sprintf(" with %s %s", brisk(r.Strata.Given()), stratumName(report.Stratum{Names: t.Strata}))
		}
		s.Brief = strings.TrimSpace(s.Brief + " " + tell("one value of it", ""))
		s.Notes = append(s.Notes, "Say "+tell("that it was "+show(t.Guess), stratum))
	}
	if len(s.Notes) == 0 {
		s.Notes = []string{"There is none: " + yes(r.Records == 0, "no record was redrawn.", "not computed.")}
	}
	return s
}

func conditional(r *report.Report) report.Section {
	n := clear(r)
	b := r.Beside
	s := report.Section{ID: "conditional", Title: "Columns beside it", Fields: []report.Sentence{
		field("risk with the other columns", "%s", cmp.Or(wordsOf(r.Claims, "neighbours"), b.State)),
		field("columns published in clear", "%d", n),
	}}
	s.Brief = fmt.Sprintf("risk with the %s published in clear: %s", count(n, "other column"), b.State)
	if b.Records == 0 {
		return s
	}
	s.Fields = append(s.Fields, field("judged on",
		"rows of %d read, of %d in the file; rules are learnt on one half and judged on the other", b.Records, b.Of))
	if l := b.Largest; l != nil {
		s.Fields = append(s.Fields, field("largest factor with a column beside it", "%s: %s is then right in %s times",
			l.Words(), show(l.Guess), inHundredDown(l.Chance)))
	}
	if b.Blind > 0 {
		s.Fields = append(s.Fields, field("not judged for their own sake", "%s of too few records", count(b.Blind, "value")))
	}
	s.Fields = append(s.Fields, field("neighbouring rows with the same value", "%s, in a shuffled file %s",
		percent(b.Runs.Equal), percent(b.Runs.Expected)))
	everything := slices.Concat(b.Columns, b.Pairs, []report.Told{placed(b.Place)})
	held := report.Table{Caption: "What held-out rows show of a column published in clear, of two of them, of all " +
		"together, and of the place of the row in the file: in how many rows more the best guess from it is right than the " +
		"commonest value, at least and at most; and the value that it makes likelier the most",
		Head: []string{"sees", "verdict", "right in more rows: at least", "at most", "by", "a value",
			"times as likely, at least"}, Numeric: []bool{false, false, true, true, false, false, true}}
	for _, c := range everything {
		held.Rows = append(held.Rows, heldOut(strings.Join(c.Names, " and "), c))
	}
	if b.Together != nil {
		held.Rows = append(held.Rows, heldOut("all of "+strings.Join(b.Together.Names, ", "), *b.Together))
	}
	t := report.Table{Caption: "In sample, by the frequencies of the rows read, which are too large where values have " +
		"few rows: what an observer learns who also sees a column published in clear, two of them, or the place of the row " +
		"in the file. Nats: of the column alone, of the output within its worst value, and of both together; the last is " +
		"the total, and no sum of the others",
		Head: []string{"sees", "alone", "output within it", "together", "best guess: neither", "with it", "with both",
			"made certain", "share of entropy told"}, Numeric: []bool{false, true, true, true, true, true, true, true, true}}
	insight := report.Table{Caption: "In sample, who learns most: of somebody who sees this and that output, how often " +
		"a guess is right before and after",
		Head: []string{"sees", "output", "guess", "before", "after", "times as likely"}, Numeric: []bool{false, false, false,
			true, true, true}}
	within := report.Table{Caption: "In sample, who learns most from the output alone: of somebody who knows the worst " +
		"value of a column beforehand, how often a guess is right before and after", Head: insight.Head,
		Numeric: insight.Numeric}
	var most report.Told // of single columns, that whose worst value leaves most to the output
	for _, told := range everything {
		name, c := strings.Join(told.Names, " and "), &told.InSample
		if c.Strata == 0 {
			why := "no value is held by enough records"
			if told.Why != "" {
				why = told.Why
			}
			t.Rows = append(t.Rows, []string{name, "no figures: " + why, "", "", "", "", "", "", ""})
			continue
		}
		t.Rows = append(t.Rows, []string{name + binned(c), nats(c.Alone), nats(c.Given), nats(c.Total), percent(c.GuessNone),
			percent(c.Guess), percent(c.GuessBoth), percent(c.Sure), percent(c.Removed)})
		if w := c.Worst; w != nil {
			insight.Rows = append(insight.Rows, learns(name, w))
		}
		if w := c.Within; w != nil {
			within.Rows = append(within.Rows, learns(name, w))
			if len(told.Names) == 1 && (most.InSample.Within == nil || c.Given > most.InSample.Given) {
				most = told
			}
		}
	}
	s.Tables = []report.Table{held, t, insight, within}
	if w := most.InSample.Within; w != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("In sample: say somebody knows %s, at its worst value, and guesses that the "+
			"record holds %s: right %s times. The record is published as %s; the guess is then right %s times, %s times as "+
			"likely.",
			worstOf(most), show(w.Guess), inHundred(w.Before), show(w.Output), atMost(w.After), report.RoundUp(w.Factor, 4)))
	}
	s.Brief = fmt.Sprintf("no column beside it is shown to make a value likelier (judged on rows of %d read, of %d)",
		b.Records, b.Of)
	if b.Largest != nil {
		s.Brief = fmt.Sprintf("a guess may be right more often %s (by held-out rows of %d read, of %d); epsilon does not "+
			"bound that", b.Largest.Words(), b.Records, b.Of)
	}
	for _, f := range b.Found {
		s.Notes = append(s.Notes, f.What+yes(f.Allowed, " (allowed).", "."))
	}
	return s
}

// heldOut is a row of what held-out rows show.
func heldOut(name string, c report.Told) []string {
	row := []string{name, c.Verdict, percentDown(c.Gain), percent(max(0, c.GainMost)), c.By, "", ""}
	if !c.Judged {
		row[1], row[2], row[3] = "not judged: "+c.Why, "", ""
	}
	if l := c.Lift; l != nil {
		row[5], row[6] = show(l.Guess), claim.TimesDown(l.Factor)
	}
	return row
}

// percentDown is a lower bound of a share.
func percentDown(share float64) string { return fmt.Sprintf("%.1f %%", math.Floor(1000*share)/10) }

// inHundredDown is one of a chance.
func inHundredDown(share float64) string {
	return fmt.Sprintf("%.4g in 100", math.Floor(1000*share)/10)
}

// learns is a row of who learns most.
func learns(name string, w *report.Insight) []string {
	return []string{name, show(w.Output), show(w.Guess), inHundred(w.Before), atMost(w.After), report.RoundUp(w.Factor, 4)}
}

// worstOf names what is known beforehand.
func worstOf(c report.Told) string {
	if c.Names[0] == placeOfRow {
		return c.Names[0] + " of a record in the file"
	}
	return "column " + quoted(c.Names[0]) + " of a record"
}

const placeOfRow = "the place of the row"

// placed names the place of a row among the columns.
func placed(place *report.Told) report.Told {
	c := *place
	c.Names = []string{placeOfRow}
	return c
}

// binned says how a column was judged.
func binned(c *report.InSample) string {
	switch {
	case c.Bins > 0 && c.Identifier:
		return fmt.Sprintf(" (an identifier, in %d quantiles)", c.Bins)
	case c.Bins > 0:
		return fmt.Sprintf(" (in %d quantiles)", c.Bins)
	case c.Identifier:
		return " (an identifier)"
	case c.Small > 0:
		return fmt.Sprintf(" (%d records of rare values apart)", c.Small)
	}
	return ""
}

func clear(r *report.Report) (n int) {
	for _, c := range r.Columns {
		if c.Fate == "published in clear" {
			n++
		}
	}
	return n
}

func risks(r *report.Report) report.Section {
	inference := wordsOf(r.Claims, "leakage")
	if n := r.Scale.Certain; n != nil && *n > 0 {
		inference += fmt.Sprintf(" Some output confirms %s with certainty.", count(*n, "value"))
	}
	a, beside, conditional := about(r.About), clear(r), r.Beside.State
	also := func(s, human string) string {
		if human == "" {
			return s
		}
		return s + ". Stated: " + human
	}
	s := report.Section{ID: "inference", Title: "EU Opinion 05/2014", Fields: []report.Sentence{
		{Head: "singling out", Body: also(fmt.Sprintf("not addressed: a record stays a row of its own, and the %s beside "+
			"it can single it out", count(beside, "column")), a.SinglingOut)},
		{Head: "linkability", Body: also(fmt.Sprintf("not addressed: rows can be linked by the %s beside it (risk with the "+
			"other columns: %s)", count(beside, "column"), conditional), a.Linkability)},
		{Head: "inference", Body: also(inference, a.Inference)},
	}}
	s.Notes = []string{"These are the three questions of Opinion 05/2014 of the Article 29 Working Party. This report " +
		"supports a finding on inference from this column; it makes none."}
	bound, _, _ := strings.Cut(inference, ":")
	s.Brief = "singling out, linkability: not addressed; inference: " + bound
	return s
}
