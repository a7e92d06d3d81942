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
	s := section("caps", r)
	if r.Guess != nil && r.History.Mixed() == nil { // what someone may believe takes what every row was drawn from
		s.Tables = slices.Insert(s.Tables, 0, believed(r))
	}
	return s
}

// believed is what an observer can come to believe of every value, who knows the stratum where
// there are strata.
func believed(r *report.Report) report.Table {
	t := report.NewTable("For every value: its share of the "+r.Whose()+
		", the most that an observer who knows only these frequencies can come to believe (its share times the factor, "+
		"at most 1), and the most that some output brings about"+say("largest", r), "value", "#records", "#share",
		"#after: at most", "#reached")
	if r.Strata != nil {
		t.Head, t.Numeric = slices.Insert(t.Head, 3, "largest share in a stratum"), append(t.Numeric, true)
	}
	for _, c := range r.Caps {
		row := []string{show(c.Label), fmt.Sprint(c.Records), inHundred(c.Share), atMost(c.Cap),
			yes(c.Certain, "100 in 100: confirmed", atMost(c.Reached))}
		if r.Strata != nil {
			row = slices.Insert(row, 3, inHundred(c.Most))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// capped names the values whose cap is such a one.
func capped(r *report.Report, is func(report.Cap) bool) string {
	var out []string
	for _, c := range r.Caps {
		if is(c) {
			out = append(out, show(c.Label))
		}
	}
	return names(out, mostNames)
}

// gained is by what a story's guess became likelier.
func gained(t *report.Story) string {
	return times(t.Factor, math.Nextafter(math.Log(t.After/t.Before), math.Inf(1)))
}
