package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A counted value is how many of the records hold it, and are published as it.
type counted struct {
	label           report.Label
	true, published float64 // shares
}

// sharesShown are the values and outputs of a report that says how far shares are
// off, those first that are commonest in one or the other. There are none where the
// frequencies of the report are not those of the records.
func sharesShown(r *report.Report) []counted {
	if r.Shares == nil || len(r.Caps) == 0 || r.Prior.Of != "this file" {
		return nil
	}
	var all []counted
	place := map[report.Label]int{}
	for i, c := range r.Caps {
		place[c.Label] = i
		all = append(all, counted{label: c.Label, true: c.Share})
	}
	for _, o := range r.Outputs {
		if i, ok := place[o.Label]; ok {
			all[i].published = o.Share
		} else {
			all = append(all, counted{label: o.Label, published: o.Share})
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int {
		return cmp.Compare(max(b.true, b.published), max(a.true, a.published))
	})
	return all
}

// sharesArt draws published against true shares, and has the same numbers in a table.
func sharesArt(r *report.Report) ([]template.HTML, []report.Table) {
	all := sharesShown(r)
	if len(all) == 0 {
		return nil, nil
	}
	t := report.NewTable("Published against true shares of the "+r.Whose()+", as written; those first that are "+
		"commonest in one or the other", "value", "#true", "#published", "#difference in points")
	var rows []row
	hi := 0.
	for _, c := range all {
		gain := strings.Replace(fmt.Sprintf("%+.2f", 100*(c.published-c.true)), "-0.00", "+0.00", 1)
		t.Add(show(c.label), percent(c.true), percent(c.published), gain)
		rows = append(rows, row{show(c.label), 100 * c.true, math.NaN(), 100 * c.published, gain})
		hi = max(hi, 100*c.true, 100*c.published)
	}
	f := frame{ID: "shares-picture", Name: "Published against true shares", Width: narrow, Description: fmt.Sprintf(
		"How many of the %s hold each of %d values, and how many are published as it. Counts of the output are off by up to "+
			"%s before chance.", r.Whose(), len(all), points(r.Shares.Shift))}
	b := newBars(f, "percent of the "+r.Whose()+"; at the right the difference", hi, rows, nil)
	b.legend([2]string{"bar", "true"}, [2]string{"mark", "published"})
	b.more("The first %d of %d; the table has them all.", len(rows))
	return drawn(inline("bars", b)), []report.Table{t}
}

// sharesNotes name the common value whose share is off most.
func sharesNotes(r *report.Report) []string {
	if r.Shares == nil || r.Shares.Value == nil {
		return nil
	}
	return []string{fmt.Sprintf("Of the values that 1 in 100 records hold, or more, the share of %s is off most: by %s "+
		"%% of itself before chance.", show(*r.Shares.Value), figure(100*value(r.Shares.Relative)))}
}
