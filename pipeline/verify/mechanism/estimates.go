package mechanism

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// prime is below 2^61 and is not the one that the report was made with: a rank
// modulo either is the true one but for a chance of about 10^-18.
const prime = 1<<61 - 31

// CheckAnalysts recomputes what can be estimated from the output: the rank of
// the rows, and the letters that are a combination of columns on their own.
func CheckAnalysts(v *document.View) {
	const name = "analysts"
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	laws := v.Laws
	var w document.Faults
	hidden := len(laws) > 1 && !v.Report.Bool("strata.published")
	if v.Groups == nil || hidden || v.Total == 0 || len(laws)*n*m > 1<<16 || v.Report.Earlier() > 0 {
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "nothing is said of what can be estimated")
		return
	}
	// The share of a letter can be estimated where each mechanism gives it.
	rank, alone, lone := n, 0, make([]int, n)
	for _, rows := range laws {
		k, free := identify(rows, m)
		rank = min(rank, k)
		for x, ok := range free {
			if ok {
				lone[x]++
			}
		}
	}
	for _, k := range lone {
		if k == len(laws) {
			alone++
		}
	}
	v.Expect(&w, Figures{name: Figures{"letters": n, "rank": rank, "estimable": alone}})
	v.Settle(name, w, "rank %d of %d; the share of %d values can be estimated", rank, n, alone)
}

// identify appends the identity to the rows and eliminates: what is left of it
// beside zero rows are the combinations of letters that no output sees, and a
// letter stands alone where none of them has it.
func identify(rows []exact.Row, m int) (rank int, alone []bool) {
	n := len(rows)
	row := make([][]uint64, n)
	for x, r := range rows {
		row[x] = make([]uint64, m+n)
		for i, y := range r.Output {
			row[x][y] = uint64(r.Weight[i]) % prime
		}
		row[x][m+x] = 1
	}
	for y := 0; y < m && rank < n; y++ {
		at := rank
		for at < n && row[at][y] == 0 {
			at++
		}
		if at == n {
			continue
		}
		row[rank], row[at] = row[at], row[rank]
		top := row[rank]
		inv := power(top[y], prime-2)
		for _, r := range row[rank+1:] {
			if r[y] == 0 {
				continue
			}
			f := prime - product(r[y], inv)
			for k := y; k < m+n; k++ {
				if top[k] != 0 {
					r[k] = (r[k] + product(top[k], f)) % prime
				}
			}
		}
		rank++
	}
	alone = make([]bool, n)
	for x := range n {
		alone[x] = true
		for _, r := range row[rank:] {
			alone[x] = alone[x] && r[m+x] == 0
		}
	}
	return rank, alone
}

func product(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, prime)
}

func power(a, e uint64) uint64 {
	out := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			out = product(out, a)
		}
		a = product(a, a)
	}
	return out
}

// CheckMap holds a map to the rows, and its coordinates to the order: whoever
// drew it took the places from the spec, which is not among the files.
func CheckMap(v *document.View) {
	const name = "map"
	m := v.Report.At(name)
	switch {
	case !m.Has(""):
		return
	case v.Order == nil || v.Rows == nil || v.Total == 0:
		v.Leave(name, "the order or the rows are not known", name)
		return
	}
	var w document.Faults
	from, _ := m.Label("from.label")
	x := slices.Index(v.Plan.Inputs, from)
	if v.Seen(name); x < 0 || v.Count[x] == 0 {
		v.Add(name, false, "the map starts at a value without records")
		return
	}
	place := func(n Node) (away, value float64, y int) {
		l, _ := n.Label("label")
		if y = slices.Index(v.Plan.Outputs, l); y < 0 {
			return 0, math.NaN(), y
		}
		return distance(m, n), v.Order.Row(x)[y], y
	}
	alike := func(away, value float64) bool { // but for the digits of coordinates: 1e-6 degrees are a tenth of a metre
		tolerance := 1e-9 * max(away, -value)
		if m.Bool("degrees") {
			tolerance = 1e-3
		}
		return math.Abs(away+value) <= tolerance
	}
	to, others := m.List("to"), m.List("others")
	listed := map[int]bool{}
	far := math.Inf(-1)
	for _, d := range to {
		away, value, y := place(d)
		share, stated := weight(v, x, y), d.Float("distance")
		if share == 0 || listed[y] || !exact.Near(d.Float("share"), share, 0) || stated != 0-value {
			w.Addf("an output of the map is not one of the row, or not as likely or as far")
		} else if !alike(away, value) {
			w.Addf("coordinates are not as far apart as the order says")
		}
		listed[y], far = true, max(far, stated)
	}
	// The last of a full list may be the farthest instead of the next.
	falling := slices.IsSortedFunc(to[:min(len(to), 99)],
		func(a, b Node) int { return cmp.Compare(b.Float("share"), a.Float("share")) })
	w.Match(falling, "the order of the map")
	w.Match(far == -farthest(v, true) || far == -farthest(v, false), "the farthest of the map")
	for _, o := range others {
		away, value, y := place(o)
		if y < 0 || listed[y] || weight(v, x, y) > 0 || !alike(away, value) {
			w.Addf("a place beside the allowed ones is allowed, or not as far as the order says")
		}
		listed[y] = true
	}
	more := len(v.Rows[x].Output) - len(to)
	w.Match(more >= 0, "the number of outputs that the map leaves out")
	apart := 0 // outputs that are not allowed; null lies nowhere
	for y, l := range v.Plan.Outputs {
		if !l.Null && weight(v, x, y) == 0 {
			apart++
		}
	}
	w.Match(len(others) == min(apart, 200), "the number of places that are not allowed")
	at := Figures{"label": Stated{}, "x": number, "y": number}
	v.Expect(&w, Figures{name: Figures{"degrees": truth, "from": at, "more": more,
		"others?": slices.Repeat([]Figures{at}, len(others)),
		"to": slices.Repeat([]Figures{{"label": Stated{}, "x": number, "y": number, "share": number, "distance": number}},
			len(to))}})
	v.Settle(name, w, "%d places that value %d may become, and %d that it may not, as far as the order says", len(to),
		x+1, len(others))
}

// distance from where a map starts: along the sphere of the IUGG's mean radius in
// kilometres, by the haversine formula, or straight.
func distance(m, to Node) float64 {
	x, y, x0, y0 := to.Float("x"), to.Float("y"), m.Float("from.x"), m.Float("from.y")
	if !m.Bool("degrees") {
		return math.Hypot(x-x0, y-y0)
	}
	const rad, radius = math.Pi / 180, 6371.0088
	north, east := math.Sin((y-y0)*rad/2), math.Sin((x-x0)*rad/2)
	h := north*north + math.Cos(y0*rad)*math.Cos(y*rad)*east*east
	return 2 * radius * math.Asin(math.Sqrt(min(1, h)))
}

// weight is the probability that input x gives output y.
func weight(v *document.View, x, y int) float64 {
	return float64(v.Rows[x].Of(int32(y))) / float64(v.Rows[x].Total)
}

// farthest is the worst utility that a letter with records may get, with null
// or without: it may lie nowhere.
func farthest(v *document.View, null bool) float64 {
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
