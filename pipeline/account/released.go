package account

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// showEarlier lists the outputs by what really shows them, where rows show earlier draws: figures are
// those of the mechanisms by which rows were really published. What someone can come to believe who
// sees one cell takes what every row was drawn from: a history holds outputs and no values, so that
// this is not computed. Where no row was drawn anew nothing is said of the mechanism that this
// release's rows would have been drawn from. Shares are of all
// records, so that with the null they add up to one.
func showEarlier(r *report.Report, held *report.Shown) {
	if noneDrawn(r) {
		for i := range r.Outputs {
			r.Outputs[i].Factor, r.Outputs[i].Nats = "", 0
		}
	}
	if p := r.Persons; p != nil {
		r.Persons = &report.Persons{Persons: p.Persons, Several: p.Several, Mixed: p.Mixed, Most: p.Most}
	}
	public, of := r.Nulls != nil && r.Nulls.Rule == "public", r.Records
	if public { // shares are of those published with a value
		of += held.Absent
		for _, o := range held.Outputs {
			if o.Label.Null {
				of -= o.Rows
			}
		}
	}
	place := map[report.Label]int{}
	for i, o := range r.Outputs {
		place[o.Label] = i
	}
	for _, o := range held.Outputs {
		i, ok := place[o.Label]
		if !ok && public && o.Label.Null {
			continue
		}
		if !ok {
			i = len(r.Outputs)
			r.Outputs = append(r.Outputs, report.Output{Label: o.Label, Share: float64(o.Rows) / float64(max(of, 1))})
		}
		e := &r.Outputs[i]
		if e.EarlierRows = o.Rows; o.Factor != "" {
			e.Earlier, e.EarlierNats = o.Factor, mechanism.Nats(fraction(o.Factor))
		}
	}
	if noneDrawn(r) { // what no row shows is no output
		r.Outputs = slices.DeleteFunc(r.Outputs, func(o report.Output) bool { return o.EarlierRows == 0 })
	}
}
