package page

import (
	"fmt"
	"html/template"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// mapArt draws what the record may become that can be moved farthest, and has
// the same numbers in a table.
func mapArt(r *report.Report) ([]template.HTML, []report.Table) {
	m := r.Map
	if m == nil || len(m.To) == 0 {
		return nil, nil
	}
	place := func(l report.Label, x, y float64) Place { return Place{Label: show(l), X: x, Y: y} }
	p := &Places{From: place(m.From.Label, m.From.X, m.From.Y), Degrees: m.Degrees, Unit: r.Utility.Unit}
	for _, d := range m.To {
		p.To = append(p.To, Destination{Place: place(d.Label, d.X, d.Y), Probability: d.Share, Distance: d.Distance})
	}
	for _, o := range m.Others {
		p.Others = append(p.Others, place(o.Label, o.X, o.Y))
	}
	t := p.Table()
	return art("places-picture", p), []report.Table{{Head: t.Head, Rows: t.Rows, Numeric: []bool{false, true, true},
		Caption: "The record that can be moved farthest: what " + show(m.From.Label) + " may become" +
			yes(m.More > 0, fmt.Sprintf(", and %d more outputs", m.More), "")}}
}
