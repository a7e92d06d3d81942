package figures

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckMap holds a map to the rows, and its coordinates to the order: whoever
// drew it took the places from the spec, which is not among the files.
func CheckMap(v *subject.View) {
	const name = "map"
	m := v.Report.Map
	if m == nil {
		return
	}
	if v.Order == nil || v.Rows == nil || v.Total == 0 {
		v.Skip(name, "the order or the rows are not known")
		return
	}
	var w verdict.Faults
	x := slices.Index(v.Plan.Inputs, m.From.Label)
	if x < 0 || v.Count[x] == 0 {
		v.Add(name, false, "the map starts at a letter without records")
		return
	}
	place := func(l document.PlaceClaim) (distance, value float64, y int) {
		if y = slices.Index(v.Plan.Outputs, l.Label); y < 0 {
			return 0, math.NaN(), y
		}
		return m.Distance(l), v.Order.Row(x)[y], y
	}
	listed := map[int]bool{}
	far := math.Inf(-1)
	for _, d := range m.To {
		away, value, y := place(document.PlaceClaim{Label: d.Label, X: d.X, Y: d.Y})
		if share := weight(v, x, y); share == 0 || listed[y] || !exact.Near(d.Share, share, 0) || d.Distance != 0-value {
			w.Addf("an output of the map is not one of the row, or not as likely or as far")
		} else if !m.Alike(away, -value) {
			w.Addf("coordinates are not as far apart as the order says")
		}
		listed[y], far = true, max(far, d.Distance)
	}
	// The last of a full list may be the farthest instead of the next.
	falling := slices.IsSortedFunc(m.To[:min(len(m.To), 99)], func(a, b document.ReachClaim) int { return cmp.Compare(b.Share, a.Share) })
	w.Match(falling, "the order of the map")
	w.Match(far == -farthest(v, true) || far == -farthest(v, false), "the farthest of the map")
	w.Match(m.More == len(v.Rows[x].Output)-len(m.To) && m.More >= 0, "the number of outputs that the map leaves out")
	for _, o := range m.Others {
		away, value, y := place(o)
		if y < 0 || listed[y] || weight(v, x, y) > 0 || !m.Alike(away, -value) {
			w.Addf("a place beside the allowed ones is allowed, or not as far as the order says")
		}
		listed[y] = true
	}
	v.Settle(name, w, "%d places that letter %d may become, and %d that it may not, as far as the order says", len(m.To), x+1, len(m.Others))
}

// weight is the probability that input x gives output y.
func weight(v *subject.View, x, y int) float64 {
	for i, o := range v.Rows[x].Output {
		if int(o) == y {
			return float64(v.Rows[x].Weight[i]) / float64(v.Rows[x].Total)
		}
	}
	return 0
}

// farthest is the worst utility that a letter with records may get, with null
// or without: it may lie nowhere.
func farthest(v *subject.View, null bool) float64 {
	worst := math.Inf(1)
	for x, r := range v.Rows {
		if v.Count[x] == 0 || v.Plan.Inputs[x].Null && !null {
			continue
		}
		row := v.Order.Row(x)
		for _, y := range r.Output {
			if null || !v.Plan.Outputs[y].Null {
				worst = min(worst, row[y])
			}
		}
	}
	return worst
}
