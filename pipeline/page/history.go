package page

import (
	"cmp"
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// shownReleases is how many earlier releases the page lists.
const shownReleases = 14

// history says what was released before, what all of it tells together, and what became of
// the plan of an earlier night.
func history(r *report.Report) report.Section {
	s, h := section("history", r), r.History.Series
	if h == nil {
		return s
	}
	if p := r.History.Mixed(); p != nil && h.Kept != nil {
		t := report.NewTable("Rows that are not drawn anew: what they show, and the most that one of them tells",
			"shows", "#rows", "#factor")
		for _, o := range p.Held.Outputs {
			t.Add(show(o.Label), fmt.Sprint(o.Rows), yes(o.Factor == "", "none", short(o.Factor)))
		}
		s.Tables = append(s.Tables, t)
	}
	if n := len(h.Earlier); n > 0 {
		t := report.NewTable(fmt.Sprintf("The last %d of %d releases before", min(n, shownReleases), n), "#night",
			"when", "#rows", "#factor", "#together", "design", "key")
		for _, e := range h.Earlier[max(0, n-shownReleases):] {
			t.Add(fmt.Sprint(e.Night), e.When, fmt.Sprint(e.Rows), short(e.Factor),
				say("figure", e.Cumulative), e.Design[:min(12, len(e.Design))], cmp.Or(e.Key, "fresh"))
		}
		s.Tables = append(s.Tables, t)
	}
	s.Items = h.Limits
	return s
}
