package verify

import (
	"fmt"
	"math"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// placesOf are the places that a report states on its map, which no plan keeps: nil without
// a map, or where the distances between them are not those of the order.
func placesOf(m *report.Map, p *plan.Plan) *utility.Places {
	if m == nil || p.Empty() {
		return nil
	}
	place := func(labels []report.Label) map[report.Label]int {
		of := map[report.Label]int{}
		for i, l := range labels {
			of[l] = i
		}
		return of
	}
	ins, outs := place(p.InputLabels()), place(p.OutputLabels())
	from, known := ins[m.From.Label]
	if !known {
		return nil
	}
	in, out := map[int][2]float64{from: {m.From.X, m.From.Y}}, map[int][2]float64{}
	add := func(l report.Label, x, y float64) {
		if i, ok := outs[l]; ok {
			out[i] = [2]float64{x, y}
		}
	}
	for _, d := range m.To {
		add(d.Label, d.X, d.Y)
	}
	for _, o := range m.Others {
		add(o.Label, o.X, o.Y)
	}
	if !apart(m.Degrees, in[from], out, func(y int) float64 {
		value := make([]float64, p.Outputs.Len())
		p.Order.Row(from, nil, value)
		return -value[y]
	}) {
		return nil
	}
	return utility.Listed(m.Degrees, in, out)
}

// apart reports whether all places are as far from one as the order has it, but for
// what rounding their coordinates to a millionth does.
func apart(degrees bool, from [2]float64, to map[int][2]float64, far func(int) float64) bool {
	var file strings.Builder
	file.WriteString(map[bool]string{true: "label,lon,lat\n", false: "label,x,y\n"}[degrees])
	fmt.Fprintf(&file, "0,%v,%v\n", from[0], from[1])
	letters, which := utility.Letters{Label: []string{"0"}}, []int{-1}
	for y, at := range to {
		fmt.Fprintf(&file, "%d,%v,%v\n", len(which), at[0], at[1])
		letters.Label, which = append(letters.Label, fmt.Sprint(len(which))), append(which, y)
	}
	o, err := utility.Build("positions:map", utility.Input{Letters: letters,
		ReadFile: func(string) ([]byte, error) { return []byte(file.String()), nil }})
	if err != nil {
		return false
	}
	value := make([]float64, len(which))
	o.Order.Row(0, nil, value)
	for i, y := range which[1:] {
		if want := far(y); !(math.Abs(-value[i+1]-want) <= 1e-3+1e-6*math.Abs(want)) {
			return false
		}
	}
	return true
}
