package mechanism

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// tableCells is the size up to which order.csv is a table.
const tableCells = 10_000_000

// labelKinds are what labels may stand for.
var labelKinds = []string{"text", "integer", "date", "boolean"}

// CheckOrder reads order.csv and derives the support that the floor leaves.
func CheckOrder(v *document.View, data []byte) {
	const name = "order"
	var w document.Faults
	p := v.Plan.Order
	if !v.Report.Empty() {
		v.Expect(&w, Figures{"order.spec": p.Spec, "order.form": p.Form, "order.ties": p.Ties, "order.extra": p.Extra})
	}
	switch {
	case v.Empty():
		w.Match(len(data) == 0, "an order without values")
		v.Settle(name, w, "there are no values, and so no order")
		return
	case byPlaces(p.Load) && len(v.Plan.Inputs)*len(v.Plan.Outputs) > tableCells && len(w) == 0 && v.Plan.Bins == nil:
		checkPlaces(v, data, w)
		return
	case !strings.HasPrefix(p.Load, "matrix:") && len(v.Plan.Inputs)*len(v.Plan.Outputs) > tableCells && len(w) == 0:
		v.Skip(name, "order.csv is the spec's own file, not a table of utilities")
		return
	case p.Load != "matrix:order.csv":
		v.Add(name, false, "the plan says that order.csv is no table of utilities, and it is small enough to be one")
		return
	}
	o, why := files.ReadOrder(data, v.Plan.Inputs, v.Plan.Outputs)
	if why != "" {
		v.Add(name, false, "%s", why)
		return
	}
	w.Match(o.Tied() == p.Ties, "the number of rows with ties")
	w.Match(slices.Contains(labelKinds, p.Kind), "what the labels stand for")
	v.Settle(name, w, "%d by %d utilities, labels as in the plan, %d rows with ties", len(v.Plan.Inputs),
		len(v.Plan.Outputs), p.Ties)
	v.Order, v.Allow = o, SupportOf(v, o)
}

// SupportOf is what the floor that shaped the plan leaves: ranks from at on,
// or utilities from at on; -inf is never allowed.
func SupportOf(v *document.View, o *files.Order) *exact.Support {
	return SupportAt(v, o, v.Plan.Floor.At)
}

// SupportAt is what another floor of the same kind leaves.
func SupportAt(v *document.View, o *files.Order, at float64) *exact.Support {
	f := v.Plan.Floor
	s := exact.NewSupport(len(v.Plan.Inputs), len(v.Plan.Outputs))
	for x := range v.Plan.Inputs {
		values, rank := o.Row(x), []int(nil)
		if f.By != "value" {
			rank = o.Ranks(x)
		}
		for y, u := range values {
			if meets := rank != nil && float64(rank[y]) >= at || rank == nil && u >= at; meets && !math.IsInf(u, -1) {
				s.Allow(x, y)
			}
		}
	}
	return s
}

// CheckFloor holds every cell of every row, of letters with and without
// records alike, to the floor, and recomputes the worst that can occur.
func CheckFloor(v *document.View) {
	if v.Groups == nil || v.Order == nil && v.Places == nil {
		why := document.Either(v.Empty(), "there are no values", "the order or the rows are not known")
		v.Skip("support", why)
		v.Leave("floor", why, "floor")
		return
	}
	f := v.Plan.Floor
	var outside, w document.Faults
	if f.By != "rank" && f.By != "value" || f.By == "rank" && f.At != math.Trunc(f.At) {
		outside.Addf("the floor is neither a rank nor a value")
	}
	alike, common := treatedAlike(v)
	v.Worst.Rank, v.Worst.Value = len(v.Plan.Outputs), math.Inf(1)
	for i := range v.Groups {
		g := &v.Groups[i]
		floorOf(v, &outside, i, alike, common)
		w.Match(g.Rank == v.Plan.Groups[i].Rank && g.Value == v.Plan.Groups[i].Value, "the floor"+v.Which(i))
		v.Worst.Rank, v.Worst.Value = min(v.Worst.Rank, g.Rank), min(v.Worst.Value, g.Value)
	}
	v.Settle("support", outside, "no row gives an output that the floor (%s >= %v) forbids", f.By, f.At)

	expectFloor(v, &w)
	v.Settle("floor", w, "the worst that any row gives is rank %d of %d, utility %v", v.Worst.Rank, len(v.Plan.Outputs),
		v.Worst.Value)
}

// floorOf sets the worst that can occur in a group, whose rows must keep to the floor.
func floorOf(v *document.View, outside *document.Faults, group int, alike map[string]bool, common int) {
	g, safe := &v.Groups[group], v.Plan.Method.Kind == "safe"
	g.Rank, g.Value = len(v.Plan.Outputs), math.Inf(1)
	room := make([]float64, len(v.Plan.Outputs))
	for x, r := range g.Rows {
		size := 0
		v.Allow.Each(x, func(int) { size++ })
		for i, y := range r.Output {
			if !v.Allow.Has(x, int(y)) {
				outside.Addf("row %d%s gives an output that the floor forbids", x+1, v.Which(group))
			}
			if safe && r.Weight[i] != r.Weight[0] {
				outside.Addf("row %d of a safe design is not uniform", x+1)
			}
		}
		if l := v.Plan.Inputs[x]; !l.Null && alike[l.Text] {
			size = common
		}
		if safe && size != len(r.Output) {
			outside.Addf("row %d of a safe design does not give all outputs that the floor allows", x+1)
		}
		rank, value := worstOf(v, x, r, room)
		g.Rank, g.Value = min(g.Rank, rank), min(g.Value, value)
	}
}

// worstOf is the worst that a row gives.
func worstOf(v *document.View, x int, r exact.Row, room []float64) (rank int, value float64) {
	if v.Order == nil {
		return worstPlace(v, x, r, room)
	}
	rank, value = len(v.Plan.Outputs), math.Inf(1)
	values, ranks := v.Order.Row(x), v.Order.Ranks(x)
	for _, y := range r.Output {
		rank, value = min(rank, ranks[y]), min(value, values[y])
	}
	return rank, value
}

// expectFloor holds plan and report to the worst that can occur.
func expectFloor(v *document.View, w *document.Faults) {
	f, least, most := v.Plan.Floor, math.MaxInt, 0
	for _, g := range v.Groups {
		for _, row := range g.Rows {
			least, most = min(least, len(row.Output)), max(most, len(row.Output))
		}
	}
	w.Match(f.Rank == v.Worst.Rank && f.Value == v.Worst.Value, "the floor of the plan")
	if !KeepsAsked(v) {
		w.Addf("the floor that was asked for is not kept")
	}
	v.Expect(w, Figures{"floor": Figures{"rank": v.Worst.Rank, "value": v.Worst.Value, "of": len(v.Plan.Outputs),
		"asked": f.Asked, "allowed": least, "most": most, "in_words": f.Words, "next_rank?": f.NextRank,
		"next_factor?": f.NextFactor, "level": levelOf(v)}})
}

// treatedAlike are the letters that have one row, and the number of outputs that
// the floor allows to all of them.
func treatedAlike(v *document.View) (alike map[string]bool, common int) {
	if v.Plan.Other == nil {
		return nil, 0
	}
	alike = map[string]bool{v.Plan.Other.Label: true}
	for _, l := range slices.Concat(v.Plan.Other.Merged, v.Plan.Other.Adopted) {
		alike[l] = true
	}
	held, letters := make([]int, len(v.Plan.Outputs)), 0
	for x, l := range v.Plan.Inputs {
		if !l.Null && alike[l.Text] {
			v.Allow.Each(x, func(y int) { held[y]++ })
			letters++
		}
	}
	for _, n := range held {
		if n == letters {
			common++
		}
	}
	return alike, common
}

// KeepsAsked compares the worst that can occur with the floor that was fixed.
func KeepsAsked(v *document.View) bool {
	if h, ok := strings.CutPrefix(v.Plan.Floor.Asked, "rank >= "); ok {
		rank, err := strconv.Atoi(h)
		return err == nil && v.Worst.Rank >= rank
	}
	if t, ok := strings.CutPrefix(v.Plan.Floor.Asked, "utility >= "); ok {
		value, err := strconv.ParseFloat(t, 64)
		return err == nil && v.Worst.Value >= value
	}
	return v.Plan.Floor.Asked == "best"
}
