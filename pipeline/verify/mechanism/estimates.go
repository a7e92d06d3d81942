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
	a := v.Report.Analysts
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	laws := v.Laws
	if v.Strata == nil {
		laws = [][]exact.Row{v.Rows}
	}
	hidden := v.Strata != nil && len(laws) > 1 && (v.Report.Strata == nil || !v.Report.Strata.Shown)
	if v.Rows == nil && v.Strata == nil || hidden || v.Total == 0 || len(laws)*n*m > 1<<16 || v.Report.Earlier() > 0 {
		ok := a == nil
		v.Add(name, ok, "%s", document.Either(ok, "nothing is said of what can be estimated",
			"the report says what can be estimated, of what it does not say for such a release"))
		return
	}
	if a == nil {
		v.Add(name, false, "the report does not say what can be estimated")
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
	var w document.Faults
	w.Match(a.Letters == n && a.Rank == rank, "the rank")
	w.Match(a.Estimable == alone, "the number of letters whose share can be estimated")
	v.Settle(name, w, "rank %d of %d; the share of %d letters can be estimated", rank, n, alone)
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
	m := v.Report.Map
	if m == nil {
		return
	}
	if v.Order == nil || v.Rows == nil || v.Total == 0 {
		v.Skip(name, "the order or the rows are not known")
		return
	}
	var w document.Faults
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
	falling := slices.IsSortedFunc(m.To[:min(len(m.To), 99)], func(a,
		b document.ReachClaim) int {
		return cmp.Compare(b.Share, a.Share)
	})
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
	v.Settle(name, w, "%d places that letter %d may become, and %d that it may not, as far as the order says", len(m.To),
		x+1, len(m.Others))
}

// weight is the probability that input x gives output y.
func weight(v *document.View, x, y int) float64 {
	for i, o := range v.Rows[x].Output {
		if int(o) == y {
			return float64(v.Rows[x].Weight[i]) / float64(v.Rows[x].Total)
		}
	}
	return 0
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
