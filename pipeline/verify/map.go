package verify

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A mapClaim is what the record may become that can be moved farthest.
type mapClaim struct {
	Degrees bool         `json:"degrees"`
	From    placeClaim   `json:"from"`
	To      []reachClaim `json:"to"`
	More    int          `json:"more"`
	Others  []placeClaim `json:"others"`
}

type placeClaim struct {
	Label cells.Label `json:"label"`
	X     float64     `json:"x"`
	Y     float64     `json:"y"`
}

type reachClaim struct {
	Label    cells.Label `json:"label"`
	X        float64     `json:"x"`
	Y        float64     `json:"y"`
	Share    float64     `json:"share"`
	Distance float64     `json:"distance"`
}

// checkMap holds a map to the rows, and its coordinates to the order: whoever
// drew it took the places from the spec, which is not among the files.
func (v *verifier) checkMap() {
	const name = "map"
	m := v.report.Map
	if m == nil {
		return
	}
	if v.order == nil || v.rows == nil || v.total == 0 {
		v.skip(name, "the order or the rows are not known")
		return
	}
	var w wrong
	x := slices.Index(v.plan.Inputs, m.From.Label)
	if x < 0 || v.count[x] == 0 {
		v.add(name, false, "the map starts at a letter without records")
		return
	}
	place := func(l placeClaim) (distance, value float64, y int) {
		if y = slices.Index(v.plan.Outputs, l.Label); y < 0 {
			return 0, math.NaN(), y
		}
		return m.distance(l), v.order.row(x)[y], y
	}
	listed := map[int]bool{}
	far := math.Inf(-1)
	for _, d := range m.To {
		away, value, y := place(placeClaim{d.Label, d.X, d.Y})
		if share := v.weight(x, y); share == 0 || listed[y] || !near(d.Share, share, 0) || d.Distance != 0-value {
			w.addf("an output of the map is not one of the row, or not as likely or as far")
		} else if !m.alike(away, -value) {
			w.addf("coordinates are not as far apart as the order says")
		}
		listed[y], far = true, max(far, d.Distance)
	}
	// The last of a full list may be the farthest instead of the next.
	falling := slices.IsSortedFunc(m.To[:min(len(m.To), 99)], func(a, b reachClaim) int { return cmp.Compare(b.Share, a.Share) })
	w.match(falling, "the order of the map")
	w.match(far == -v.farthest(true) || far == -v.farthest(false), "the farthest of the map")
	w.match(m.More == len(v.rows[x].output)-len(m.To) && m.More >= 0, "the number of outputs that the map leaves out")
	for _, o := range m.Others {
		away, value, y := place(o)
		if y < 0 || listed[y] || v.weight(x, y) > 0 || !m.alike(away, -value) {
			w.addf("a place beside the allowed ones is allowed, or not as far as the order says")
		}
		listed[y] = true
	}
	v.settle(name, w, "%d places that letter %d may become, and %d that it may not, as far as the order says", len(m.To), x+1, len(m.Others))
}

// weight is the probability that input x gives output y.
func (v *verifier) weight(x, y int) float64 {
	for i, o := range v.rows[x].output {
		if int(o) == y {
			return float64(v.rows[x].weight[i]) / float64(v.rows[x].total)
		}
	}
	return 0
}

// farthest is the worst utility that a letter with records may get, with null
// or without: it may lie nowhere.
func (v *verifier) farthest(null bool) float64 {
	worst := math.Inf(1)
	for x, r := range v.rows {
		if v.count[x] == 0 || v.plan.Inputs[x].Null && !null {
			continue
		}
		row := v.order.row(x)
		for _, y := range r.output {
			if null || !v.plan.Outputs[y].Null {
				worst = min(worst, row[y])
			}
		}
	}
	return worst
}

// distance from where the map starts: along the sphere of the IUGG's mean
// radius in kilometres, by the haversine formula, or straight.
func (m *mapClaim) distance(to placeClaim) float64 {
	if !m.Degrees {
		return math.Hypot(to.X-m.From.X, to.Y-m.From.Y)
	}
	const rad, radius = math.Pi / 180, 6371.0088
	north, east := math.Sin((to.Y-m.From.Y)*rad/2), math.Sin((to.X-m.From.X)*rad/2)
	h := north*north + math.Cos(m.From.Y*rad)*math.Cos(to.Y*rad)*east*east
	return 2 * radius * math.Asin(math.Sqrt(min(1, h)))
}

// alike reports whether two distances are equal but for the digits to which
// coordinates are kept: a millionth of a degree is a tenth of a metre.
func (m *mapClaim) alike(a, b float64) bool {
	tolerance := 1e-9 * max(a, b)
	if m.Degrees {
		tolerance = 1e-3
	}
	return math.Abs(a-b) <= tolerance
}
