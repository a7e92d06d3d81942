package verify

import (
	"math"
	"strconv"
	"strings"
)

// supportOf is what the floor that shaped the plan leaves: ranks from at on,
// or utilities from at on; -inf is never allowed.
func (v *verifier) supportOf(o *order) *support {
	f := v.plan.Floor
	s := newSupport(len(v.plan.Inputs), len(v.plan.Outputs))
	for x := range v.plan.Inputs {
		values, rank := o.row(x), []int(nil)
		if f.By != "value" {
			rank = o.ranks(x)
		}
		for y, u := range values {
			if meets := rank != nil && float64(rank[y]) >= f.At || rank == nil && u >= f.At; meets && !math.IsInf(u, -1) {
				s.allow(x, y)
			}
		}
	}
	return s
}

// checkFloor holds every cell of every row, of letters with and without
// records alike, to the floor, and recomputes the worst that can occur.
func (v *verifier) checkFloor() {
	switch {
	case v.empty():
		v.skip("support", "there are no letters")
		v.skip("floor", "there are no letters")
		return
	case v.order == nil || v.rows == nil:
		v.skip("support", "the order or the rows are not known")
		v.skip("floor", "the order or the rows are not known")
		return
	}
	f := v.plan.Floor
	var outside, uniform, w wrong
	if f.By != "rank" && f.By != "value" || f.By == "rank" && f.At != math.Trunc(f.At) {
		outside.addf("the floor is neither a rank nor a value")
	}
	v.worst.rank, v.worst.value = len(v.plan.Outputs), math.Inf(1)
	for x, r := range v.rows {
		values, rank := v.order.row(x), v.order.ranks(x)
		size := 0
		v.allow.each(x, func(int) { size++ })
		for i, y := range r.output {
			if !v.allow.has(x, int(y)) {
				outside.addf("row %d gives an output that the floor forbids", x+1)
			}
			if r.weight[i] != r.weight[0] {
				uniform.addf("row %d of a safe design is not uniform", x+1)
			}
			v.worst.rank, v.worst.value = min(v.worst.rank, rank[y]), min(v.worst.value, values[y])
		}
		if size != len(r.output) {
			uniform.addf("row %d of a safe design does not give all outputs that the floor allows", x+1)
		}
	}
	if v.plan.Mechanism.Kind == "safe" {
		outside = append(outside, uniform...)
	}
	v.settle("support", outside, "no row gives an output that the floor (%s >= %v) forbids", f.By, f.At)

	r := v.report.Floor
	w.match(f.Rank == v.worst.rank && r.Rank == f.Rank, "the rank")
	w.match(f.Value == v.worst.value && r.Value == f.Value, "the value")
	w.match(r.Of == len(v.plan.Outputs), "the number of ranks")
	w.match(r.Words == f.Words && r.Asked == f.Asked && r.NextRank == f.NextRank && r.NextFactor == f.NextFactor, "what the report says of the plan's floor")
	if !v.keepsAsked() {
		w.addf("the floor that was asked for is not kept")
	}
	least, most := math.MaxInt, 0
	for _, row := range v.rows {
		least, most = min(least, len(row.output)), max(most, len(row.output))
	}
	w.match(r.Least == least && r.Most == most, "the number of outputs a letter has")
	v.settle("floor", w, "the worst that any row gives is rank %d of %d, utility %v", v.worst.rank, len(v.plan.Outputs), v.worst.value)
}

// keepsAsked compares the worst that can occur with the floor that was fixed.
func (v *verifier) keepsAsked() bool {
	if h, ok := strings.CutPrefix(v.plan.Floor.Asked, "rank >= "); ok {
		rank, err := strconv.Atoi(h)
		return err == nil && v.worst.rank >= rank
	}
	if t, ok := strings.CutPrefix(v.plan.Floor.Asked, "utility >= "); ok {
		value, err := strconv.ParseFloat(t, 64)
		return err == nil && v.worst.value >= value
	}
	return v.plan.Floor.Asked == "best"
}
