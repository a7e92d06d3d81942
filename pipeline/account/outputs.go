package account

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// walkCells bounds the cells of the order that are looked at to list outputs in its order;
// more outputs are listed by label.
const walkCells = 1 << 22

// reportOutputs lists the outputs that letters with records may give: each next to one
// that the order has near it, so that groups and regions stay together.
func reportOutputs(p *plan.Plan, t *plan.Written) []report.Output {
	letters := make([]int, p.Outputs.Len())
	for x := range p.Inputs.Len() {
		for _, y := range p.Reach(x) {
			letters[y]++
		}
	}
	labels, factor, used := p.OutputLabels(), p.Leakage.Output, []int{}
	for y, f := range factor {
		if f != nil {
			used = append(used, y)
		}
	}
	out, of := []report.Output{}, t.Rows-t.Nulls
	if p.Null == "public" { // a record may show an earlier null, or an earlier value
		of = 0
		for _, n := range t.Output {
			of += n
		}
	}
	for _, y := range walk(p.Order, plan.Stands(p.Inputs, p.Outputs), used) {
		f := factor[y]
		out = append(out, report.Output{Label: labels[y], Factor: f.RatString(), Nats: mechanism.Nats(f),
			Support: letters[y], Share: float64(t.Output[y]) / float64(max(of, 1))})
	}
	return out
}

// walk puts outputs in the order of space or level: from one end, always on to the
// nearest that is left. On a line that is its order, and in levels a group is finished
// before the next one begins. Outputs stay as they are where some stand for no letter.
func walk(o mechanism.Order, stands, used []int) []int {
	if len(used)*o.Outputs() > walkCells || slices.ContainsFunc(used, func(y int) bool { return stands[y] < 0 }) {
		return used
	}
	value := make([]float64, o.Outputs())
	from := func(y int) { o.Row(stands[y], nil, value) }
	if len(used) < 3 {
		return used
	}
	farthest := func() int {
		return slices.MinFunc(used, func(a, b int) int { return cmp.Compare(value[a], value[b]) })
	}
	from(used[0])
	end := farthest()
	from(end)
	end = min(end, farthest())
	left, out := slices.DeleteFunc(slices.Clone(used), func(y int) bool { return y == end }), []int{end}
	for len(left) > 0 {
		from(out[len(out)-1])
		at, best := 0, math.Inf(-1)
		for i, y := range left {
			if value[y] > best {
				at, best = i, value[y]
			}
		}
		out, left = append(out, left[at]), slices.Delete(left, at, at+1)
	}
	return out
}
