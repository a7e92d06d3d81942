package account

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Sizes of a map, and of the table of letters up to which one is drawn.
const (
	mapOutputs = 100
	mapOthers  = 200
	mapCells   = 1 << 22
)

// locate maps what the letter may become that has records and the farthest
// output allowed. Beyond orders by position there is no map.
func locate(r *report.Report, p *plan.Plan) {
	if p.Places == nil || len(p.Groups) != 1 || p.Other != nil || p.Inputs.Len()*p.Outputs.Len() > mapCells {
		return
	}
	from := farthestMoved(p)
	if from < 0 {
		return
	}
	in, out := p.InputLabels(), p.OutputLabels()
	m := &report.Map{Degrees: p.Places.Degrees, From: report.Place{Label: in[from]}}
	m.From.X, m.From.Y, _ = p.Places.Input(from)
	value := make([]float64, len(out))
	p.Order.Row(from, nil, value)
	allowed := make([]bool, len(out))
	row := p.Groups[0].Mechanism.Row(from)
	for i, y := range row.Output {
		allowed[y] = true
		d := report.Destination{Label: out[y], Share: float64(row.At(i)) / float64(row.Total), Distance: 0 - value[y]}
		var ok bool
		if d.X, d.Y, ok = p.Places.Output(int(y)); ok {
			m.To = append(m.To, d)
		}
	}
	far := slices.MaxFunc(m.To, func(a, b report.Destination) int { return cmp.Compare(a.Distance, b.Distance) })
	slices.SortStableFunc(m.To, func(a, b report.Destination) int { return cmp.Compare(b.Share, a.Share) })
	if len(m.To) > mapOutputs {
		if m.To = m.To[:mapOutputs]; !slices.Contains(m.To, far) {
			m.To[mapOutputs-1] = far
		}
	}
	m.More = len(row.Output) - len(m.To)
	var others []int
	for y := range out {
		if _, _, ok := p.Places.Output(y); ok && !allowed[y] {
			others = append(others, y)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
	for _, y := range others[:min(len(others), mapOthers)] {
		o := report.Place{Label: out[y]}
		o.X, o.Y, _ = p.Places.Output(y)
		m.Others = append(m.Others, o)
	}
	r.Map = m
}

// farthestMoved is the first letter with records and a place whose worst
// allowed output that has a place, too, is the worst of all; -1 where there is
// none.
func farthestMoved(p *plan.Plan) int {
	from, worst := -1, math.Inf(1)
	value := make([]float64, p.Outputs.Len())
	for x := range p.Inputs.Len() {
		if _, _, ok := p.Places.Input(x); !ok || p.Prior.Count(x) == 0 {
			continue
		}
		outputs := p.Groups[0].Mechanism.Row(x).Output
		mechanism.ValuesAt(p.Order, x, outputs, value)
		for _, y := range outputs {
			if _, _, ok := p.Places.Output(int(y)); ok && value[y] < worst {
				from, worst = x, value[y]
			}
		}
	}
	return from
}
