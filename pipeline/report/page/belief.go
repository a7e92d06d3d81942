package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// mostNames is the number of values that are named in a sentence.
const mostNames = 40

func caps(r *report.Report) view.Section {
	t := view.Table{Caption: "For every value: its share, the most that an observer who knows only these frequencies can come to believe (cap), and the most that some output brings about",
		Head: []string{"value", "records", "share", "cap: at most", "reached"}, Numeric: []bool{false, true, true, true, true}}
	var free, confirmed []string
	for _, c := range r.Caps {
		t.Rows = append(t.Rows, []string{show(c.Label), fmt.Sprint(c.Records), inHundred(c.Share), atMost(c.Cap), yes(c.Certain, "100 in 100: confirmed", atMost(c.Reached))})
		if c.Cap >= 1 {
			free = append(free, show(c.Label))
		}
		if c.Certain {
			confirmed = append(confirmed, show(c.Label))
		}
	}
	s := view.Section{ID: "caps", Title: "What can be believed", Tables: []view.Table{t, grid(r.Epsilon.Target, r.Grid)}, Art: capsArt(r)}
	if len(r.Caps) == 0 {
		s.Notes = []string{"There are no records."}
		return s
	}
	s.Notes = []string{
		fmt.Sprintf("Someone knows how common each value is, and nothing else about this record. Before the release their best guess of the value is right %s times. "+
			"After seeing this one published cell, and nothing else of the file, no guess can be right more than %s times as often: this one at most %s. "+
			"This holds for every published value, and for any fact about the true value that they try to guess.",
			inHundred(r.Guess.Before), factorOf(r), atMost(min(1, value0(r.Epsilon.Factor)*r.Guess.Before))),
		fmt.Sprintf("Scale: the commonest value may be confirmed with certainty from epsilon %s on, the rarest, and so every value, from %s on. At the epsilon reached, %s.",
			nats(r.Scale.Commonest), nats(r.Scale.Rarest), uncapped(r)),
		"Values whose cap is 1, so that epsilon does not exclude that an output confirms them: " + names(free, mostNames) + ".",
		"Values that some output does confirm, since nothing else can give it: " + names(confirmed, mostNames) + ".",
	}
	s.Brief = fmt.Sprintf("the commonest value may be confirmed from %s nats on, the rarest from %s on; cap 1: %s (%s of records); confirmed by some output: %s (%s); largest belief reached: %s",
		nats(r.Scale.Commonest), nats(r.Scale.Rarest), count(r.Scale.Uncapped, "value"), percent(r.Scale.UncappedRow), count(r.Scale.Certain, "value"), percent(r.Scale.CertainRow), atMost(r.Guess.Worst))
	return s
}

// value0 is a fraction as a float, 1 where it is none.
func value0(fraction string) float64 {
	if v, ok := value(fraction); ok {
		return v
	}
	return 1
}

func uncapped(r *report.Report) string {
	return fmt.Sprintf("epsilon does not exclude certainty for %s (cap 1), held by %s of the records, and some output does confirm %s, held by %s",
		count(r.Scale.Uncapped, "value"), percent(r.Scale.UncappedRow), count(r.Scale.Certain, "value"), percent(r.Scale.CertainRow))
}

// grid is the cap of round shares: it needs no count.
func grid(target string, g []report.GridCap) view.Table {
	t := view.Table{Caption: fmt.Sprintf("What epsilon = %s allows: a guess that is right so often before can be right so often after", target),
		Head: []string{"before", "after: at most"}, Numeric: []bool{true, true}}
	for _, c := range g {
		t.Rows = append(t.Rows, []string{inHundred(c.Share), atMost(c.Cap)})
	}
	return t
}

func guesses(r *report.Report) view.Section {
	g := r.Guess
	s := view.Section{ID: "guess", Title: "Best guess", Fields: []view.Sentence{
		field("before", "right %s times (always the commonest value)", inHundred(g.Before)),
		field("after, on average", "right %s times", inHundred(g.Mean)),
		field("after, in the worst case", "right %s times, for the output that confirms most", atMost(g.Worst)),
	}}
	s.Brief = fmt.Sprintf("right %s before, %s on average after, at most %s in the worst case", inHundred(g.Before), inHundred(g.Mean), atMost(g.Worst))
	return s
}

func story(r *report.Report) view.Section {
	s := view.Section{ID: "worst", Title: "The worst case"}
	if r.Story == nil {
		s.Notes = []string{"There is none: no record was redrawn."}
		return s
	}
	t := r.Story
	// The short view names no value of the data, so the guess is named here only.
	tell := func(guess string) string {
		return fmt.Sprintf("a record is published as %s. Someone who knows only how common each value is guesses %s: right %s times before, %s after seeing it, %s times as often. No guess about any record gains more.",
			show(t.Output), guess, inHundred(t.Before), atMost(t.After), factorOf(r))
	}
	s.Brief = tell("one value of it")
	s.Notes = []string{"Say " + tell("that it was "+show(t.Guess))}
	return s
}

func conditional(r *report.Report) view.Section {
	n := clear(r)
	b := r.Beside
	s := view.Section{ID: "conditional", Title: "Columns beside it", Fields: []view.Sentence{
		field("epsilon given the columns published in clear", "%s", b.State),
		field("columns published in clear", "%d", n),
	}}
	s.Brief = fmt.Sprintf("epsilon given the %s published in clear: %s", count(n, "column"), b.State)
	if b.Records == 0 {
		return s
	}
	s.Fields = append(s.Fields, field("judged on", "%d of %d rows", b.Records, b.Of),
		field("neighbouring rows with the same value", "%s, in a shuffled file %s", percent(b.Runs.Equal), percent(b.Runs.Expected)))
	worst := 0.0
	t := view.Table{Caption: "What an observer learns who also sees a column published in clear, two of them, or the place of the row in the file. Nats: of the column alone, of the output within its worst value, and of both together; the last is the total, and no sum of the others",
		Head: []string{"sees", "alone", "output within it", "together", "best guess: neither", "with it", "with both", "made certain", "share of entropy told"}, Numeric: []bool{false, true, true, true, true, true, true, true, true}}
	insight := view.Table{Caption: "Who learns most: of somebody who sees this and that output, how often a guess is right before and after",
		Head: []string{"sees", "output", "guess", "before", "after", "times as often"}, Numeric: []bool{false, false, false, true, true, true}}
	within := view.Table{Caption: "Who learns most from the output alone: of somebody who knows the worst value of a column beforehand, how often a guess is right before and after", Head: insight.Head, Numeric: insight.Numeric}
	var most report.Told // of single columns, that whose worst value leaves most to the output
	for _, c := range slices.Concat(b.Columns, b.Pairs, []report.Told{placed(b.Place)}) {
		name := strings.Join(c.Names, " and ")
		if !c.Judged {
			t.Rows = append(t.Rows, []string{name, "not judged: " + c.Why, "", "", "", "", "", "", ""})
			continue
		}
		if c.Strata == 0 {
			t.Rows = append(t.Rows, []string{name, "not judged: no value is held by enough records", "", "", "", "", "", "", ""})
			continue
		}
		worst = max(worst, c.Total)
		t.Rows = append(t.Rows, []string{name + binned(c), nats(c.Alone), nats(c.Given), nats(c.Total), percent(c.GuessNone), percent(c.Guess), percent(c.GuessBoth), percent(c.Sure), percent(c.Removed)})
		if w := c.Worst; w != nil {
			insight.Rows = append(insight.Rows, learns(name, w))
		}
		if w := c.Within; w != nil {
			within.Rows = append(within.Rows, learns(name, w))
			if len(c.Names) == 1 && (most.Within == nil || c.Given > most.Given) {
				most = c
			}
		}
	}
	s.Tables = []view.Table{t, insight, within}
	if w := most.Within; w != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("Say somebody knows %s, at its worst value, and guesses that the record holds %s: right %s times. The record is published as %s; the guess is then right %s times, %.4g times as often.",
			worstOf(most), show(w.Guess), inHundred(w.Before), show(w.Output), atMost(w.After), w.Factor))
	}
	s.Brief = fmt.Sprintf("largest leakage together with a column beside it: %s nats (judged on %d of %d rows)", nats(worst), b.Records, b.Of)
	for _, f := range b.Found {
		s.Notes = append(s.Notes, f.What+yes(f.Allowed, " (allowed).", "."))
	}
	return s
}

// learns is a row of who learns most.
func learns(name string, w *report.Insight) []string {
	return []string{name, show(w.Output), show(w.Guess), inHundred(w.Before), atMost(w.After), fmt.Sprintf("%.4g", w.Factor)}
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
func binned(c report.Told) string {
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

func risks(r *report.Report) view.Section {
	inference := fmt.Sprintf("bounded by epsilon %s: from the published value alone no guess about the true one becomes more than %s times as often right", nats(r.Epsilon.Nats), factorOf(r))
	if r.Scale.Certain > 0 {
		inference += fmt.Sprintf("; not bounded below certainty for %s", count(r.Scale.Certain, "value"))
	}
	return risksOf(about(r.About), clear(r), inference, r.Beside.State)
}

func risksOf(a report.About, beside int, inference, conditional string) view.Section {
	also := func(s, human string) string {
		if human == "" {
			return s
		}
		return s + ". Stated: " + human
	}
	s := view.Section{ID: "wp216", Title: "WP216", Fields: []view.Sentence{
		{Head: "singling out", Body: also(fmt.Sprintf("not addressed: a record stays a row of its own, and the %s beside it can single it out", count(beside, "column")), a.SinglingOut)},
		{Head: "linkability", Body: also(fmt.Sprintf("not addressed: rows can be linked by the %s beside it (conditional figures: %s)", count(beside, "column"), conditional), a.Linkability)},
		{Head: "inference", Body: also(inference, a.Inference)},
	}}
	s.Notes = []string{"These are the three questions of Opinion 05/2014 of the Article 29 Working Party. This report supports a finding on inference from this column; it makes none."}
	bound, _, _ := strings.Cut(inference, ":")
	s.Brief = "singling out, linkability: not addressed; inference: " + bound
	return s
}
