package floors

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// best are the outputs of letter x that are not forbidden, the best first.
func (v *survey) best(x int) []int {
	m := v.order.Order.Outputs()
	rank, value := make([]uint16, m), make([]float64, m)
	v.order.Order.Row(x, rank, value)
	best := make([]int, m)
	for y, r := range rank {
		best[m-int(r)] = y
	}
	for len(best) > 0 && math.IsInf(value[best[len(best)-1]], -1) {
		best = best[:len(best)-1]
	}
	return best
}

// allowed counts the outputs that letter x may have at a floor.
func (v *survey) allowed(x int, floor mechanism.Floor) int {
	best := v.best(x)
	if !floor.ByValue { // forbidden outputs rank lowest
		return min(len(best), v.order.Order.Outputs()-floor.Rank+1)
	}
	value := make([]float64, v.order.Order.Outputs())
	v.order.Order.Row(x, nil, value)
	return sort.Search(len(best), func(j int) bool { return value[best[j]] < floor.Value })
}

// shown is what the letter that decides at a stop may become, or the rarest
// where none does.
func (v *survey) shown(s *page.Stop, at mechanism.Floor, outputs []string) *page.Shown {
	x, p := 0, v.d.Sample
	labels := texts(report.Labels(v.d.Letters.Label, v.d.Letters.Null))
	if r := s.Reason; r != nil {
		x = slices.Index(labels, cmp.Or(r.Carrier, r.Letter))
	} else {
		for z := range labels {
			if p.Count(z) > 0 && (p.Count(x) == 0 || p.Count(z) < p.Count(x)) {
				x = z
			}
		}
	}
	out := &page.Shown{Letter: labels[x], Allowed: v.allowed(x, at)}
	for _, y := range v.best(x)[:min(pageShown, out.Allowed)] {
		out.Outputs = append(out.Outputs, outputs[y])
	}
	return out
}
