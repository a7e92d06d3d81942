package page

import (
	"html/template"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/picture"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// art draws a picture. One that cannot be drawn is left out: its numbers stand
// in the table beside it.
func art(id string, p picture.Picture) []template.HTML {
	svg, err := p.SVG(id)
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

// frontierArt draws the floors that were computed, with this release.
func frontierArt(r *report.Report) []template.HTML {
	if len(r.Floors) < 2 {
		return nil
	}
	none := math.NaN()
	p := &picture.Frontier{Column: quoted(r.Column), By: "rank", Of: r.Floor.Of, Unit: r.Utility.Unit, ChosenName: "this release"}
	for _, f := range r.Floors {
		lower, _ := value(f.Lower)
		at := f.At
		p.Floors = append(p.Floors, picture.Floor{Floor: at, Words: f.Floor, Safe: f.Nats, Flat: none, Optimal: none,
			Lower: math.Log(max(1, lower)), Worst: f.Value, Mean: f.Mean})
	}
	chosen := picture.Point{X: float64(r.Floor.Rank), Y: r.Epsilon.Nats}
	if r.Floors[0].ByValue {
		p.By, chosen.X = "value", r.Floor.Value
	}
	p.Chosen = &chosen
	return art("frontier-picture", p)
}
