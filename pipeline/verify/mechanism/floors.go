package mechanism

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// comparedCells is the number of cells of an order up to which a run compares with
// other mechanisms and floors, and comparedInStrata that of all strata together.
const (
	comparedCells    = 1 << 16
	comparedInStrata = 1 << 20
)

// shown is one less than the number of rank floors that a report lists, where
// there are as many.
const shown = 8

// unevenCells bounds the cells of all floors up to which the factors of rows of
// unequal length are recomputed.
const unevenCells = 1 << 22

// A cost is what the mechanism that is uniform on what a floor leaves comes to.
type cost struct {
	factor, lower *big.Rat
	worst, mean   float64
	size          float64 // of the terms of the mean
}

// A heap is how many records of a prior may become each output.
type heap struct {
	count []int64
	total int64
	mass  []int64
}

// CheckFloors recomputes what other floors would cost, from order and counts.
// Which utilities are listed as floors is not held to anything.
func CheckFloors(v *document.View) {
	const name = "other floors"
	var w document.Faults
	list, cells := v.Report.List("floors"), len(v.Plan.Inputs)*len(v.Plan.Outputs)
	switch {
	case v.Empty() || v.Total == 0 || cells > comparedCells || v.Strata != nil && len(v.Strata)*cells > comparedInStrata:
		v.Expect(&w, Figures{"floors": nil})
		v.Settle(name, w, "none are listed")
		return
	case v.Order == nil || v.Allow == nil:
		v.Leave(name, "the order is not known", "floors")
		return
	}
	var want []Figures
	if v.Plan.Floor.By == "value" {
		want = byValue(v, &w, list)
	} else if want = byRank(v); want == nil {
		v.Leave(name, "outputs are forbidden, and there are too many floors to make all of them again", "floors")
		return
	}
	v.Expect(&w, Figures{"floors": want})
	v.Settle(name, w, "%d floors: factor, bound and mean of the mechanism that is uniform on what each leaves",
		len(list))
}

// byRank is the list of ranks that are evenly spread, each with the best of it and
// those above; nil where that takes too long.
func byRank(v *document.View) (list []Figures) {
	ranks := len(v.Plan.Outputs)
	if v.Strata == nil && forbids(v) && ranks*ranks*len(v.Plan.Inputs) > unevenCells {
		return nil
	}
	var all []*cost // by rank
	if v.Strata == nil {
		all = ladder(v)
	}
	step := max(1, float64(ranks-1)/shown)
	for at := 0.0; int(math.Round(at)) < ranks; at += step {
		h := int(math.Round(at)) + 1
		floor := "rank >= " + strconv.Itoa(h)
		if v.Strata != nil {
			if c := costOf(v, float64(h)); c != nil { // else some letter has no output there
				list = append(list, c.figures(floor, float64(h), false))
			}
			continue
		}
		best := all[h-1]
		for _, better := range all[h:] {
			if better.factor.Cmp(best.factor) <= 0 {
				best = better
			}
		}
		lower := LetterBound(SupportAt(v, v.Order, float64(h)), ranks, counts(v)...)
		list = append(list, (&cost{best.factor, lower, all[h-1].worst, best.mean, best.size}).figures(floor, float64(h),
			false))
	}
	return list
}

// byValue takes the utilities that are listed, and holds every floor to the best of
// it and those before, which are better.
func byValue(v *document.View, w *document.Faults, list []Node) (want []Figures) {
	var best *cost
	w.Match(len(list) > 0, "the number of floors")
	for i, c := range list {
		floor, stated := c.Text("floor"), c.Float("at")
		at, err := strconv.ParseFloat(strings.TrimPrefix(floor, "utility >= "), 64)
		w.Match(err == nil && at == stated && strings.HasPrefix(floor, "utility >= ") &&
			(i == 0 || at < list[i-1].Float("at")), "a floor of the list")
		own := costOf(v, stated)
		if own != nil && v.Strata == nil && best != nil && best.factor.Cmp(own.factor) <= 0 {
			own.factor, own.mean, own.size = best.factor, best.mean, best.size
		}
		if best = own; own == nil {
			w.Addf("a floor of the list leaves some letter no output")
			break
		}
		want = append(want, own.figures(floor, stated, true))
	}
	return want
}

// figures are what the report says of a floor.
func (c *cost) figures(floor string, at float64, byValue bool) Figures {
	return Figures{"floor": floor, "at": at, "by_value": byValue, "value": c.worst, "safe_factor": c.factor,
		"safe_nats": c.factor, "lower_factor": c.lower, "safe_mean": rounded(c.mean, c.size)}
}

// counts are those of the priors that the plan is held to.
func counts(v *document.View) [][]int64 {
	if v.Held() && exact.Sum(v.Sample()) > 0 {
		return [][]int64{v.Count, v.Sample()}
	}
	return [][]int64{v.Count}
}

// forbids reports whether some output is allowed at no floor.
func forbids(v *document.View) bool {
	for x := range v.Plan.Inputs {
		if slices.ContainsFunc(v.Order.Row(x), func(u float64) bool { return math.IsInf(u, -1) }) {
			return true
		}
	}
	return false
}

// ladder is what every rank floor costs, the worst first.
func ladder(v *document.View) []*cost {
	ranks := len(v.Plan.Outputs)
	all := make([]*cost, ranks)
	if forbids(v) {
		for h := range all {
			all[h] = costOf(v, float64(h+1))
		}
		return all
	}
	var priors []heap
	for _, c := range counts(v) {
		priors = append(priors, heap{c, exact.Sum(c), make([]int64, ranks)})
	}
	best, sum := make([][]int, len(v.Plan.Inputs)), make([]float64, len(v.Plan.Inputs))
	size := make([]float64, len(best))
	for x := range best {
		best[x] = make([]int, ranks)
		for y, r := range v.Order.Ranks(x) {
			best[x][ranks-r] = y
		}
	}
	worst := math.Inf(1)
	for m := 1; m <= ranks; m++ {
		c := &cost{factor: big.NewRat(1, 1)}
		for x, by := range best {
			y := by[m-1]
			u := v.Order.Row(x)[y]
			worst, sum[x], size[x] = min(worst, u), sum[x]+u, size[x]+math.Abs(u)
			for _, p := range priors {
				p.mass[y] += p.count[x]
			}
			share := float64(v.Count[x]) / float64(v.Total)
			c.mean += share * (sum[x] / float64(m))
			c.size += share * (size[x] / float64(m))
		}
		for _, p := range priors {
			if f := p.factor(); f.Cmp(c.factor) > 0 {
				c.factor = f
			}
		}
		c.worst = worst
		all[ranks-m] = c
	}
	return all
}

// factor is that of rows of one length, each uniform.
func (h heap) factor() *big.Rat {
	least := h.total
	for _, n := range h.mass {
		if n > 0 {
			least = min(least, n)
		}
	}
	return big.NewRat(h.total, least)
}

// costOf is what one floor costs; nil where it leaves some letter no output. Of
// strata it is that of one mechanism for all of them.
func costOf(v *document.View, at float64) *cost {
	allow, outputs := SupportAt(v, v.Order, at), len(v.Plan.Outputs)
	rows := allow.Uniform()
	c := &cost{factor: big.NewRat(1, 1), lower: big.NewRat(1, 1), worst: math.Inf(1)}
	for x, r := range rows {
		if r.Total == 0 {
			return nil
		}
		row, sum, size := v.Order.Row(x), 0.0, 0.0
		for _, y := range r.Output {
			c.worst, sum, size = min(c.worst, row[y]), sum+row[y], size+math.Abs(row[y])
		}
		share := float64(v.Count[x]) / float64(v.Total)
		c.mean += share * (sum / float64(r.Total))
		c.size += share * (size / float64(r.Total))
	}
	larger := func(a, b *big.Rat) *big.Rat {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	}
	if v.Strata == nil {
		for _, n := range counts(v) {
			c.factor = larger(c.factor, exact.Most(rows, n, exact.Sum(n), outputs))
		}
		c.lower = LetterBound(allow, outputs, counts(v)...)
		return c
	}
	groups := slices.Clone(v.Strata)
	if !v.Plan.Strata.Only {
		groups = append([]document.Stratum{{Count: v.Count, Total: v.Total}}, groups...)
	}
	if v.Held() && exact.Sum(v.Sample()) > 0 {
		all := sampled(v)
		if !v.Plan.Strata.Only {
			all = append(all, crowd{count: v.Sample()})
		}
		for _, s := range all {
			groups = append(groups, document.Stratum{Count: s.count, Total: exact.Sum(s.count)})
		}
	}
	for _, g := range groups {
		if g.Total > 0 {
			c.factor = larger(c.factor, exact.Most(rows, g.Count, g.Total, outputs))
			c.lower = larger(c.lower, LetterBound(allow, outputs, g.Count))
		}
	}
	return c
}

// highest is the level of local differential privacy, in nats, up to which one is
// searched for at which the leakage is epsilon.
const highest = 0x1p60

// closest is how near to a level a search stops, far below what figures may be off.
const closest = 0x1p-40

// near is how close a figure found by a search must come, of the size of utilities.
const near = 1e-6

// A rival is a mechanism of local differential privacy. logs sets row to log
// p(y|x) at a level; +Inf is no noise.
type rival struct {
	kind string
	v    *document.View
	logs func(level float64, x int, row []float64)
}

// A standing is what a rival leaks and keeps at a level.
type standing struct{ nats, worst, mean, size float64 }

// CheckBaselines recomputes what the exponential mechanism and randomised
// response keep at the same epsilon: at the level that guarantees it, and at the
// one that leaks it.
func CheckBaselines(v *document.View) {
	const name = "baselines"
	var w document.Faults
	t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
	switch {
	case v.Empty() || v.Total == 0 || v.Strata != nil || len(v.Plan.Inputs)*len(v.Plan.Outputs) > comparedCells:
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "none are listed")
		return
	case v.Order == nil || !ok:
		v.Leave(name, "the order or epsilon is not known", name)
		return
	}
	list := v.Report.List(name)
	var want []Figures
	for _, r := range rivals(v) {
		level := guaranteed(v, t)
		for _, tuned := range []bool{false, true} {
			at := r.at(level)
			if tuned {
				at = r.tuned(natsOf(t), level, nil)
			}
			if math.IsInf(at.worst, 0) || math.IsInf(at.nats, 0) || math.IsNaN(at.nats+at.mean) {
				continue
			}
			if i := len(want); tuned && i < len(list) && !at.is(list[i]) {
				mean := list[i].Float("expected")
				at = r.tuned(natsOf(t), level, &mean) // leakage may be epsilon at several levels
			}
			want = append(want, Figures{"kind": r.kind, "tuned": tuned, "nats": within(at.nats, 1e-9*(1+at.nats)),
				"worst": at.worst, "expected": within(at.mean, at.slack())})
		}
	}
	v.Expect(&w, Figures{name + "?": want})
	v.Settle(name, w, "%d mechanisms of local differential privacy, at the level that guarantees epsilon and at the one "+
		"that leaks it", len(list))
}

// natsOf is epsilon, rounded to nearest.
func natsOf(t exact.Target) float64 {
	if t.Factor == nil {
		return t.Float()
	}
	f, _ := t.Factor.Float64()
	return math.Log(f)
}

// is reports whether the report says so.
func (s standing) is(b Node) bool {
	return math.Abs(s.nats-b.Float("nats")) <= 1e-9*(1+s.nats) && math.Abs(s.mean-b.Float("expected")) <= s.slack()
}

// slack is how near a mean must come.
func (s standing) slack() float64 { return near * (s.size + math.Abs(s.mean-s.worst)) }

// rivals are the mechanisms compared with. The exponential mechanism needs
// utilities of a finite range.
func rivals(v *document.View) (all []rival) {
	outputs := len(v.Plan.Outputs)
	spread := 0.0
	for y := range outputs {
		low, high := math.Inf(1), math.Inf(-1)
		for x := range v.Plan.Inputs {
			u := v.Order.Row(x)[y]
			low, high = min(low, u), max(high, u)
		}
		spread = max(spread, high-low)
	}
	if !math.IsInf(spread, 1) && !math.IsNaN(spread) {
		all = append(all, rival{"exponential", v, func(level float64, x int, row []float64) {
			scale := level / 2 / spread
			if spread == 0 {
				scale = math.Inf(1)
			}
			values := v.Order.Row(x)
			best, sum := slices.Max(values), 0.0
			for y, u := range values {
				if row[y] = 0; u < best {
					row[y] = scale * (u - best)
				}
				sum += math.Exp(row[y])
			}
			for y := range row {
				row[y] -= math.Log(sum)
			}
		}})
	}
	best := make([]int, len(v.Plan.Inputs))
	for x := range best {
		best[x] = slices.Index(v.Order.Ranks(x), outputs)
	}
	return append(all, rival{"randomised response", v, func(level float64, x int, row []float64) {
		top := -math.Log1p(float64(outputs-1) * math.Exp(-level))
		for y := range row {
			row[y] = top - level
		}
		row[best[x]] = top
	}})
}

// guaranteed is the largest level at which every mechanism is within epsilon:
// epsilon = -log(P + (1-P) e^-level), P the share of the rarest letter that has
// records.
func guaranteed(v *document.View, t exact.Target) float64 {
	least := v.Total
	for _, n := range v.Count {
		if n > 0 {
			least = min(least, n)
		}
	}
	if least == v.Total || t.Admits(big.NewRat(v.Total, least)) {
		return math.Inf(1)
	}
	rest := float64(v.Total-least) / float64(v.Total)
	return -math.Log1p(max(-1, math.Expm1(-natsOf(t))/rest))
}

// at is what the mechanism leaks and keeps at a level.
func (r rival) at(level float64) (s standing) {
	v, outputs := r.v, len(r.v.Plan.Outputs)
	logs := make([]float64, len(v.Plan.Inputs)*outputs)
	peak := slices.Repeat([]float64{math.Inf(-1)}, outputs)
	s.worst = math.Inf(1)
	mean := 0.0
	for x := range v.Plan.Inputs {
		row, values := logs[x*outputs:(x+1)*outputs], v.Order.Row(x)
		r.logs(level, x, row)
		share := float64(v.Count[x]) / float64(v.Total)
		for y, l := range row {
			if math.IsInf(l, -1) {
				continue
			}
			s.worst = min(s.worst, values[y])
			if share > 0 {
				peak[y] = max(peak[y], l)
				mean += share * math.Exp(l) * values[y]
				s.size += share * math.Exp(l) * math.Abs(values[y])
			}
		}
	}
	s.mean = mean
	for y, top := range peak {
		if math.IsInf(top, -1) {
			continue
		}
		below := 0.0 // q_y / peak - 1
		for x, n := range v.Count {
			if n > 0 {
				below += float64(n) / float64(v.Total) * math.Expm1(logs[x*outputs+y]-top)
			}
		}
		s.nats = max(s.nats, -math.Log1p(below))
	}
	return s
}

// tuned is the mechanism at a level at which it leaks epsilon, or has the mean
// that is given; without noise where that leaks no more.
func (r rival) tuned(epsilon, level float64, mean *float64) standing {
	if math.IsInf(level, 1) {
		return r.at(level)
	}
	up := r.at(math.Inf(1)).mean >= r.at(0).mean
	above := func(level float64) bool {
		s := r.at(level)
		if mean == nil {
			return s.nats > epsilon
		}
		return (s.mean > *mean) == up
	}
	lo, hi := 0.0, max(1, level)
	for !above(hi) {
		if lo, hi = hi, 2*hi; hi > highest {
			if !above(math.Inf(1)) {
				return r.at(math.Inf(1))
			}
			return r.at(lo)
		}
	}
	// Both figures move by no more than their size while the level moves by 1.
	for hi-lo > closest*(1+lo) {
		if mid := lo + (hi-lo)/2; above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return r.at(lo)
}
