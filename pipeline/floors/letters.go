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

// letters are those that the page's script can show, in letter order: all, or
// the commonest where there is no room. Left is how many are not among them.
func (v *survey) letters(at []mechanism.Floor) (letters []page.Letter, left int) {
	p, n := v.d.Sample, v.order.Order.Inputs()
	pick := make([]int, n)
	for x := range pick {
		pick[x] = x
	}
	if most := pageNumbers / (len(at) + min(pageOutputs, v.order.Order.Outputs())); n > most {
		slices.SortStableFunc(pick, func(a, b int) int { return cmp.Compare(p.Count(b), p.Count(a)) })
		pick = pick[:most]
		slices.Sort(pick)
	}
	labels := texts(report.Labels(v.d.Letters.Label, v.d.Letters.Null))
	for _, x := range pick {
		l := page.Letter{Label: labels[x], Best: v.best(x)}
		if p.Total() > 0 {
			l.Share = float64(p.Count(x)) / float64(p.Total())
		}
		l.Allowed = v.allowed(x, at)
		l.Best = slices.Clone(l.Best[:min(len(l.Best), pageOutputs)]) // the rest is tens of thousands of outputs
		letters = append(letters, l)
	}
	return letters, n - len(pick)
}

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

// allowed counts, for each of the floors, the outputs that letter x may have.
func (v *survey) allowed(x int, at []mechanism.Floor) []int {
	best := v.best(x)
	value := make([]float64, v.order.Order.Outputs())
	v.order.Order.Row(x, nil, value)
	out := make([]int, len(at))
	for k, floor := range at {
		if floor.ByValue {
			out[k] = sort.Search(len(best), func(j int) bool { return value[best[j]] < floor.Value })
		} else {
			// Forbidden outputs rank lowest.
			out[k] = min(len(best), v.order.Order.Outputs()-floor.Rank+1)
		}
	}
	return out
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
	out := &page.Shown{Letter: labels[x], Allowed: v.allowed(x, []mechanism.Floor{at})[0]}
	for _, y := range v.best(x)[:min(pageShown, out.Allowed)] {
		out.Outputs = append(out.Outputs, outputs[y])
	}
	return out
}
