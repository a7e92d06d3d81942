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
	list, cells := v.Report.Floors, len(v.Plan.Inputs)*len(v.Plan.Outputs)
	switch {
	case v.Empty() || v.Total == 0 || cells > comparedCells || v.Strata != nil && len(v.Strata)*cells > comparedInStrata:
		v.Add(name, len(list) == 0, "%s",
			document.Either(len(list) == 0, "none are listed", "floors are listed of a release for which a run lists none"))
		return
	case v.Order == nil || v.Allow == nil:
		v.Skip(name, "the order is not known")
		return
	}
	var w document.Faults
	if v.Plan.Floor.By == "value" {
		checkValues(v, &w, list)
	} else if !checkRanks(v, &w, list) {
		v.Skip(name, "outputs are forbidden, and there are too many floors to make all of them again")
		return
	}
	v.Settle(name, w, "%d floors: factor, bound and mean of the mechanism that is uniform on what each leaves",
		len(list))
}

// checkRanks holds the list to the ranks that are evenly spread.
func checkRanks(v *document.View, w *document.Faults, list []document.FloorCost) bool {
	ranks := len(v.Plan.Outputs)
	if v.Strata == nil && forbids(v) && ranks*ranks*len(v.Plan.Inputs) > unevenCells {
		return false
	}
	var all []*cost // by rank
	if v.Strata == nil {
		all = ladder(v)
	}
	step := max(1, float64(ranks-1)/shown)
	n := 0
	for at := 0.0; int(math.Round(at)) < ranks; at += step {
		h := int(math.Round(at)) + 1
		if n++; n > len(list) {
			continue
		}
		c := list[n-1]
		w.Match(c.At == float64(h) && !c.ByValue && c.Floor == "rank >= "+strconv.Itoa(h), "a floor of the list")
		if v.Strata != nil {
			matches(w, c, costOf(v, float64(h)))
			continue
		}
		best := all[h-1]
		for _, better := range all[h:] {
			if better.factor.Cmp(best.factor) <= 0 {
				best = better
			}
		}
		allow := SupportAt(v, v.Order, float64(h))
		matches(w, c, &cost{best.factor, LetterBound(allow, ranks, counts(v)...), all[h-1].worst, best.mean, best.size})
	}
	w.Match(n == len(list), "the number of floors")
	return true
}

// checkValues holds every floor of the list to the best of it and those before,
// which are better.
func checkValues(v *document.View, w *document.Faults, list []document.FloorCost) {
	var best *cost
	for i, c := range list {
		at, err := strconv.ParseFloat(strings.TrimPrefix(c.Floor, "utility >= "), 64)
		w.Match(c.ByValue && err == nil && at == c.At && strings.HasPrefix(c.Floor, "utility >= ") &&
			(i == 0 || at < list[i-1].At),
			"a floor of the list")
		own := costOf(v, c.At)
		if own != nil && v.Strata == nil && best != nil && best.factor.Cmp(own.factor) <= 0 {
			own.factor, own.mean, own.size = best.factor, best.mean, best.size
		}
		if best = own; own == nil {
			w.Addf("a floor of the list leaves some letter no output")
			return
		}
		matches(w, c, own)
	}
	w.Match(len(list) > 0, "the number of floors")
}

// matches compares a floor of the list with what it costs.
func matches(w *document.Faults, c document.FloorCost, k *cost) {
	Diff(w, c.Floor, c, Figures{"floor": c.Floor, "at": c.At, "by_value": c.ByValue, "value": k.worst,
		"safe_factor": k.factor, "safe_nats": k.factor, "lower_factor": k.lower, "safe_mean": Rounded{k.mean, k.size}})
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
