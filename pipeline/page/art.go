package page

import (
	"html/template"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// art draws a picture. One that cannot be drawn is left out: its numbers stand
// in the table beside it.
func art(id string, p Picture) []template.HTML {
	return drawn(p.SVG(id))
}

func drawn(svg template.HTML, err error) []template.HTML {
	if err != nil {
		return nil
	}
	return []template.HTML{svg}
}

func leakageArt(r *report.Report) []template.HTML {
	if p := published(r); len(r.Outputs) == 0 || p != nil && p.Drawn == 0 {
		return nil
	}
	p := &Leakage{Target: math.Log(r.Most)}
	for _, o := range r.Outputs {
		if o.Factor == "" {
			continue
		}
		p.Outputs = append(p.Outputs, Output{Label: show(o.Label), Nats: o.Nats, Factor: o.Factor, Support: o.Support,
			Share: o.Share})
	}
	return art("leakage-picture", p)
}

func capsArt(r *report.Report) []template.HTML {
	if len(r.Caps) == 0 {
		return nil
	}
	p := &Caps{}
	for _, c := range r.Caps {
		p.Values = append(p.Values, Cap{Label: show(c.Label), Prior: c.Share, Cap: c.Cap, Reached: c.Reached})
	}
	return art("caps-picture", p)
}
