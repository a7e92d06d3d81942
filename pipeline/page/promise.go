package page

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// openBracket is the width of a bracket, in nats, from which on it is told of.
const openBracket = 1e-3

// gap is the width of what is proven of the least factor at the floor, 0 where it is not told of.
func gap(d report.Design) float64 {
	if width := logarithm(d.Upper) - logarithm(d.Lower); width > openBracket {
		return width
	}
	return 0
}

func leakage(r *report.Report) report.Section {
	caption := "Leakage of every output that can occur"
	if r.Strata != nil {
		caption += "; for whoever does not know " + brisk(r.Strata.Given()) + " of the record"
	}
	t := report.NewTable(caption, "output", "#epsilon", "#factor", "#values that may give it", "#share of "+r.Whose())
	earlier := r.History.Mixed() != nil
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
	return section("leakage", r, t)
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
