package page

import (
	"html/template"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/picture"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// art draws a picture. One that cannot be drawn is left out: its numbers stand
// in the table beside it.
func art(id string, p picture.Picture) []template.HTML {
	return drawn(p.SVG(id))
}

func drawn(svg template.HTML, err error) []template.HTML {
	if err != nil {
		return nil
	}
	return []template.HTML{svg}
}

func leakageArt(r *report.Report) []template.HTML {
	if len(r.Outputs) == 0 {
		return nil
	}
	p := &picture.Leakage{Target: math.Log(r.Most)}
	for _, o := range r.Outputs {
		p.Outputs = append(p.Outputs, picture.Output{Label: show(o.Label), Nats: o.Nats, Factor: o.Factor, Support: o.Support, Share: o.Share})
	}
	return art("leakage-picture", p)
}

func capsArt(r *report.Report) []template.HTML {
	if len(r.Caps) == 0 {
		return nil
	}
	p := &picture.Caps{}
	for _, c := range r.Caps {
		p.Values = append(p.Values, picture.Cap{Label: show(c.Label), Prior: c.Share, Cap: c.Cap, Reached: c.Reached})
	}
	return art("caps-picture", p)
}

// transitionsArt draws what becomes of each value, and has the same numbers in
// a table.
func transitionsArt(r *report.Report) ([]template.HTML, []view.Table) {
	b := r.Becomes
	if b == nil || len(b.Inputs) == 0 || len(b.Share) != len(b.Inputs) {
		return nil, nil
	}
	p := &picture.Transitions{Outputs: b.Outputs, Prior: make([]float64, len(b.Inputs)), Row: func(x int, to []float64) { copy(to, b.Share[x]) }}
	for _, name := range b.Inputs {
		p.Inputs = append(p.Inputs, quoted(name))
	}
	t := p.Table()
	table := view.Table{Caption: t.Caption, Head: t.Head, Rows: t.Rows, Numeric: make([]bool, len(t.Head))}
	for i := t.Names; i < len(table.Numeric); i++ {
		table.Numeric[i] = true
	}
	return art("transitions-picture", p), []view.Table{table}
}
