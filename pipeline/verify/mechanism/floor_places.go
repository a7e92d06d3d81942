package mechanism

import (
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// checkPlaces reads an order by position that is too large for a table, and derives the
// support that the floor leaves, row by row.
func checkPlaces(v *document.View, data []byte, w document.Faults) {
	const name = "order"
	read := files.ReadPlaces
	if o := v.Plan.Order; o.Form != "positions" {
		read = func(data []byte, in, out []files.Label) (*files.Places, string) {
			return files.ReadSteps(o.Form, o.Kind, data, in, out)
		}
	}
	p, why := read(data, v.Plan.Inputs, v.Plan.Outputs)
	if why != "" {
		v.Skip(name, "order.csv is the spec's own file, and "+why)
		return
	}
	v.Settle(name, w, "%d by %d utilities are distances of the places in order.csv; rows with ties are not counted again",
		len(v.Plan.Inputs), len(v.Plan.Outputs))
	v.Places = p
	v.Allow = exact.NewSupport(len(v.Plan.Inputs), len(v.Plan.Outputs))
	value, copied := make([]float64, len(v.Plan.Outputs)), make([]float64, len(v.Plan.Outputs))
	for x := range v.Plan.Inputs {
		p.Row(x, value)
		allowPlaces(v, x, value, copied)
	}
}

// allowPlaces allows what the floor does in one row: of outputs that are worth as little
// as the last allowed, the higher ones.
func allowPlaces(v *document.View, x int, value, copied []float64) {
	s, f := v.Allow, v.Plan.Floor
	least, left := f.At, 0
	if f.By != "value" {
		k := min(max(len(value)-int(f.At)+1, 0), len(value))
		if k == 0 {
			return
		}
		least, left = files.Nearest(value, copied, k), k
		for _, u := range value {
			if u > least {
				left--
			}
		}
	}
	for y := len(value) - 1; y >= 0; y-- {
		switch u := value[y]; {
		case f.By == "value" && u >= least, f.By != "value" && u > least:
			s.Allow(x, y)
		case f.By != "value" && u == least && left > 0:
			s.Allow(x, y)
			left--
		}
	}
}

// worstPlace is the worst that a row gives, by places; values is room for a row.
func worstPlace(v *document.View, x int, r exact.Row, values []float64) (rank int, value float64) {
	v.Places.Row(x, values)
	worst := int(r.Output[0])
	for _, y := range r.Output {
		if values[y] < values[worst] {
			worst = int(y)
		}
	}
	return files.Rank(values, worst), values[worst]
}

// byPlaces reports whether utilities are distances of places, in order.csv or in the
// labels themselves.
func byPlaces(load string) bool {
	form, file, _ := strings.Cut(load, ":")
	return form == "positions" || (form == "ordered" || form == "circular") && strings.HasPrefix(file, "@") ||
		load == "numeric"
}
