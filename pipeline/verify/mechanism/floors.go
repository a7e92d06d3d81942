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
	case v.Empty() || v.Total == 0 || cells > comparedCells || len(v.Groups)*cells > comparedInStrata:
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
	several := len(v.Groups) > 1
	if !several && forbids(v) && ranks*ranks*len(v.Plan.Inputs) > unevenCells {
		return nil
	}
	var all []*cost // by rank
	if !several {
		all = ladder(v)
	}
	step := max(1, float64(ranks-1)/shown)
	for at := 0.0; int(math.Round(at)) < ranks; at += step {
		h := int(math.Round(at)) + 1
		floor := "rank >= " + strconv.Itoa(h)
		if several {
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
		if own != nil && len(v.Groups) <= 1 && best != nil && best.factor.Cmp(own.factor) <= 0 {
			own.factor, own.mean, own.size = best.factor, best.mean, best.size
		}
		if best = own; own == nil {
			w.Addf("a floor of the list leaves some value no output")
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
	return big.NewRat(h.total, exact.Least(h.mass))
}

// costOf is what one floor costs; nil where it leaves some letter no output. Of
// several groups it is that of one mechanism for all of them.
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
	for _, priors := range observers(v) {
		for _, n := range priors {
			c.factor = larger(c.factor, exact.Most(rows, n, exact.Sum(n), outputs))
		}
		c.lower = larger(c.lower, LetterBound(allow, outputs, priors...))
	}
	return c
}

// observers are those whom epsilon is kept for, each with the priors that are held
// together: of several groups whoever knows one and, unless that is given up, whoever does
// not, by each prior alone.
func observers(v *document.View) (all [][][]int64) {
	if len(v.Groups) <= 1 {
		return [][][]int64{counts(v)}
	}
	add := func(groups []crowd) {
		if count, _ := letters(groups); !v.Plan.Given.Only {
			groups = append(groups, crowd{count: count})
		}
		for _, g := range groups {
			if exact.Sum(g.count) > 0 {
				all = append(all, [][]int64{g.count})
			}
		}
	}
	if add(crowds(v)); v.Held() {
		add(sampled(v))
	}
	return all
}
