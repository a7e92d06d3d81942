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

func conditional(r *report.Report) report.Section {
	n := clear(r)
	b := r.Beside
	s := report.Section{ID: "conditional", Title: "Other columns", Fields: []report.Sentence{
		field("risk with the other columns", "%s", cmp.Or(wordsOf(r.Claims, "neighbours"), b.State)),
		field("columns published in clear", "%d", n),
	}}
	s.Brief = fmt.Sprintf("risk with the %s published in clear: %s", count(n, "other column"), b.State)
	if b.Records == 0 {
		return s
	}
	s.Fields = append(s.Fields, field("judged on",
		"rows of %d read, of %d in the file; rules are learnt on one half and judged on the other", b.Records, b.Of))
	read := fmt.Sprintf("rows of %d read, of %d", b.Records, b.Of)
	if b.Possible > 0 {
		read += fmt.Sprintf("; %d of %d pairs of columns", b.Looked, b.Possible)
		s.Fields = append(s.Fields, field("pairs of columns judged", "%d of %d, numbers and times before others", b.Looked,
			b.Possible))
	}
	if l := b.Largest; l != nil {
		s.Fields = append(s.Fields, field("largest factor with another column", "%s: %s is then right in %s times",
			l.Words(), show(l.Guess), inHundredDown(l.Chance)))
	}
	if b.Blind > 0 {
		s.Fields = append(s.Fields, field("not judged for their own sake", "%s of too few records", count(b.Blind, "value")))
	}
	everything := slices.Concat(b.Columns, b.Pairs)
	if b.Place != nil {
		everything = append(everything, placed(b.Place))
		s.Fields = append(s.Fields, field("neighbouring rows with the same value", "%s, in a shuffled file %s",
			percent(b.Runs.Equal), percent(b.Runs.Expected)))
	} else {
		s.Fields = append(s.Fields, field("order of the rows", "random, and no other column gives the order of the input "+
			"back: the place of a row is not judged"))
	}
	held := report.NewTable("What held-out rows show of a column published in clear, of two of them, of all "+
		"together, and of the place of the row in the file: in how many rows more the best guess from it is right than the "+
		"commonest value, at least and at most; and the value that it makes likelier the most", "sees", "verdict",
		"right in more rows", "makes likelier")
	for _, c := range everything {
		held.Rows = append(held.Rows, heldOut(strings.Join(c.Names, " and "), c))
	}
	if b.Together != nil {
		held.Rows = append(held.Rows, heldOut("all of "+strings.Join(b.Together.Names, ", "), *b.Together))
	}
	s.Tables = []report.Table{held}
	s.Brief = fmt.Sprintf("no other column is shown to make a value likelier (judged on %s)", read)
	if b.Largest != nil {
		s.Brief = fmt.Sprintf("a guess may be right more often %s (by held-out %s); epsilon does not bound that",
			b.Largest.Words(), read)
	}
	for _, f := range b.Found { // the warnings have what was not allowed
		if f.Allowed {
			s.Notes = append(s.Notes, f.What+" (allowed).")
		}
	}
	return s
}

// heldOut is a row of what held-out rows show.
func heldOut(name string, c report.Told) []string {
	if !c.Judged {
		return []string{name, "not judged: " + c.Why, "", ""}
	}
	row := []string{name, c.Verdict, fmt.Sprintf("%s to %s", percentDown(c.Gain), percent(c.GainMost)), ""}
	if c.By != "" {
		row[2] += ", by " + c.By
	}
	if l := c.Lift; l != nil {
		row[3] = fmt.Sprintf("%s, at least %s times", show(l.Guess), claim.TimesDown(l.Factor))
	}
	return row
}

// percentDown is a lower bound of a share.
func percentDown(share float64) string { return fmt.Sprintf("%.1f %%", math.Floor(1000*share)/10) }

// inHundredDown is one of a chance.
func inHundredDown(share float64) string {
	return fmt.Sprintf("%.4g in 100", math.Floor(1000*share)/10)
}

const placeOfRow = "the place of the row"

// placed names the place of a row among the columns.
func placed(place *report.Told) report.Told {
	c := *place
	c.Names = []string{placeOfRow}
	return c
}

func clear(r *report.Report) (n int) {
	for _, c := range r.Columns {
		if c.Fate == "published in clear" {
			n++
		}
	}
	return n
}
