package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// leakageArt is what each output tells, against what was promised.
func leakageArt(r *report.Report) []template.HTML {
	if p := published(r); len(r.Outputs) == 0 || p != nil && p.Drawn == 0 {
		return nil
	}
	var rows []row
	hi, limit := 0., math.Log(r.Most)
	for _, o := range r.Outputs {
		if o.Factor != "" {
			hi = max(hi, o.Nats)
			rows = append(rows, row{show(o.Label), o.Nats, math.NaN(), math.NaN(), nats(o.Nats)})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.value, a.value) })
	f := frame{ID: "leakage-picture", Name: "What each output tells", Width: width,
		Description: fmt.Sprintf("Leakage in nats of the %d outputs that can occur.", len(rows))}
	if len(rows) > 0 {
		f.Description += fmt.Sprintf(" The most is %s, of output %s; the least of those shown %s.", rows[0].text,
			Cut(rows[0].label, 60), rows[min(len(rows), mostBars)-1].text)
	}
	promise := [2]string{"limit", "promised: " + figure(limit)}
	f.Description += fmt.Sprintf(" The line is the promise, %s.", figure(limit))
	b := newBars(f, "leakage (nats)", hi, rows, &limit)
	b.legend([2]string{"bar", "leakage"}, promise)
	b.more("The %d that tell most of %d; the table has them all.", len(rows))
	return []template.HTML{inline("bars", b)}
}

// capsArt is how far belief in each value can rise, for an observer who knows how
// common each value is and sees one output.
func capsArt(r *report.Report) []template.HTML {
	if len(r.Caps) == 0 {
		return nil
	}
	sure := 0
	var rows []row
	for _, v := range r.Caps {
		if v.Cap >= 1 {
			sure++
		}
		rows = append(rows, row{show(v.Label), 100 * v.Share, 100 * v.Cap, 100 * v.Reached, atMostPercent(v.Cap)})
	}
	f := frame{ID: "caps-picture", Name: "How sure one output can make an observer", Width: width,
		Description: fmt.Sprintf(
			"For each of %d values how likely it is before, and the most it can be after one output is seen. For %d of them "+
				"that is 100 %%: one output may confirm them.", len(rows), sure)}
	b := newBars(f, "probability that a record holds the value, in percent", 100, rows, nil)
	b.legend([2]string{"bar", "before"}, [2]string{"outline", "after: never more"},
		[2]string{"mark", "most that is reached"})
	b.more("The first %d of %d; the table has them all.", len(rows))
	return []template.HTML{inline("bars", b)}
}
