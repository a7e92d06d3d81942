package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// sharesShown are the values and outputs of a report that says how far shares are
// off, those first that are commonest in one or the other. There are none where the
// frequencies of the report are not those of the records.
func sharesShown(r *report.Report) []Share {
	if r.Shares == nil || len(r.Caps) == 0 || r.Prior.Of != "this file" {
		return nil
	}
	var all []Share
	place := map[report.Label]int{}
	for i, c := range r.Caps {
		place[c.Label] = i
		all = append(all, Share{Label: c.Label, True: c.Share})
	}
	for _, o := range r.Outputs {
		if i, ok := place[o.Label]; ok {
			all[i].Published = o.Share
		} else {
			all = append(all, Share{Label: o.Label, Published: o.Share})
		}
	}
	commonestFirst(all)
	return all
}

// sharesTable has published against true shares.
func sharesTable(r *report.Report) []report.Table {
	all := sharesShown(r)
	if len(all) == 0 {
		return nil
	}
	t := report.NewTable("Published against true shares of the "+r.Whose()+", as written; those first that are "+
		"commonest in one or the other", "value", "#true", "#published", "#difference in points")
	for _, c := range all {
		t.Add(show(c.Label), percent(c.True), percent(c.Published), c.gain())
	}
	return []report.Table{t}
}

// useful is what the release keeps; page one has the picture of its shares.
func useful(r *report.Report) report.Section { return section("utility", r, sharesTable(r)...) }

// gain is by how many points more are published.
func (c *Share) gain() string {
	return strings.Replace(fmt.Sprintf("%+.2f", 100*(c.Published-c.True)), "-0.00", "+0.00", 1)
}

// commonestFirst puts those first that are commonest in one or the other.
func commonestFirst(all []Share) {
	slices.SortStableFunc(all, func(a, b Share) int {
		return cmp.Compare(max(b.True, b.Published), max(a.True, a.Published))
	})
}
