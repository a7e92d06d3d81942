package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

func conditional(r *report.Report) report.Section {
	s, b := section("conditional", r), r.Beside
	if b.Records == 0 {
		return s
	}
	everything := slices.Concat(b.Columns, b.Pairs)
	if b.Place != nil {
		everything = append(everything, placed(b.Place))
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
