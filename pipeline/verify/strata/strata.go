// Package strata checks promises that hold given another column.
package strata

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/figures"
	"github.com/tacet-privacy/tacet/pipeline/verify/law"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckStrata recomputes what plan and report say of every stratum from the
// rows and counts of the plan.
func CheckStrata(v *subject.View) {
	s, r := v.Plan.Strata, v.Report.Strata
	if s == nil || r == nil {
		if s != nil || r != nil {
			v.Add("strata", false, "only one of plan and report knows of strata")
		}
		return
	}
	if v.Strata == nil {
		v.Skip("strata", "the mechanisms of the strata are not known")
		return
	}
	var w verdict.Faults
	w.Match(r.Column == s.Of && r.Function == s.Function && fmt.Sprint(r.Min) == s.Least && r.Rule == s.Rule && len(r.Groups) == len(s.Groups) && len(r.Tried) == len(s.Tried),
		"what the report says of the plan's strata")
	if len(w) > 0 {
		v.Settle("strata", w, "")
		return
	}
	checkWeighed(v, &w)
	checkGroups(v, &w)
	v.Settle("strata", w, "%d groups, each with its records, its mechanism, its factor under their frequencies, and its floor", len(s.Groups))
	checkOverall(v)
}

// checkWeighed holds the designs that were weighed to the one that was taken:
// it stands among them as it is, and no other that keeps epsilon in every
// stratum has a better floor, or the same and a better utility.
func checkWeighed(v *subject.View, w *verdict.Faults) {
	s, r, f := v.Plan.Strata, v.Report.Strata, v.Plan.Floor
	taken := 0
	for i, t := range s.Tried {
		none := t.Rule == ""
		t.Rule = cmp.Or(t.Rule, "none")
		w.Match(t == r.Tried[i], "a design that was weighed, which the plan has otherwise,")
		switch {
		case none || !t.Found:
		case t.Rule == s.Rule:
			taken++
			w.Match(t.Rank == f.Rank && t.Value == f.Value && t.Expected == v.Plan.Utility.Expected, "the design that was taken, as it was weighed,")
		case f.Asked == "best" && (f.By == "value" && t.Value > f.Value || f.By != "value" && t.Rank > f.Rank):
			w.Addf("a design with a better floor was weighed, and not taken")
		}
	}
	if taken != 1 {
		w.Addf("the design that was taken is not among those that were weighed")
	}
}

// checkGroups recomputes every group, and sets the largest factor and the
// worst that can occur.
func checkGroups(v *subject.View, w *verdict.Faults) {
	s, r := v.Plan.Strata, v.Report.Strata
	v.Most = big.NewRat(1, 1)
	v.Worst.Rank, v.Worst.Value = len(v.Plan.Outputs), math.Inf(1)
	binding, output, merged := -1, -1, 0
	var mean, size float64
	for i, g := range v.Strata {
		p, q := s.Groups[i], r.Groups[i]
		factor, at := big.NewRat(1, 1), -1
		for y, f := range exact.Factors(g.Rows, g.Count, g.Total, len(v.Plan.Outputs)) {
			if f != nil && (at < 0 || f.Cmp(factor) > 0) {
				factor, at = f, y
			}
		}
		if binding < 0 || factor.Cmp(v.Most) > 0 {
			binding, output, v.Most = i, at, factor
		}
		w.Match(p.Factor == factor.RatString() && exact.Nats(p.Nats, factor) && q.Factor == p.Factor && q.Nats == p.Nats, fmt.Sprintf("the factor of group %d", i+1))
		w.Match(at < 0 || q.Output == v.Plan.Outputs[at], fmt.Sprintf("the output that decides group %d", i+1))
		letters := 0
		for _, c := range g.Count {
			if c > 0 {
				letters++
			}
		}
		w.Match(q.Records == g.Total && q.Letters == letters && slices.Equal(p.Names, q.Names) && p.Rest == q.Rest, fmt.Sprintf("the records of group %d", i+1))
		if p.Rest {
			merged = len(p.Names)
		}
		if least, ok := exact.Whole(s.Least); !ok || g.Total < least && (!p.Rest || len(s.Groups) > 1) {
			w.Addf("group %d has fewer records than strata are merged at", i+1)
		}
		if !p.Rest && len(p.Names) != 1 {
			w.Addf("group %d has several strata, and does not take what the plan does not name", i+1)
		}
		if v.Order == nil {
			continue
		}
		rank, value := len(v.Plan.Outputs), math.Inf(1)
		for x, row := range g.Rows {
			values, ranks := v.Order.Row(x), v.Order.Ranks(x)
			for _, y := range row.Output {
				if !v.Allow.Has(x, int(y)) {
					w.Addf("row %d of group %d gives an output that the floor forbids", x+1, i+1)
				}
				rank, value = min(rank, ranks[y]), min(value, values[y])
			}
		}
		w.Match(p.Rank == rank && p.Value == value && q.Rank == rank && q.Value == value, fmt.Sprintf("the floor of group %d", i+1))
		v.Worst.Rank, v.Worst.Value = min(v.Worst.Rank, rank), min(v.Worst.Value, value)
		alone := subject.View{Rows: g.Rows, Count: g.Count, Total: g.Total, Order: v.Order}
		expected, of := figures.Expected(&alone)
		w.Match(exact.Near(p.Expected, expected, of) && q.Expected == p.Expected || g.Total == 0, fmt.Sprintf("the utility of group %d", i+1))
		share := float64(g.Total) / float64(max(1, v.Total))
		mean, size = mean+share*expected, size+share*of
	}
	w.Match(r.Merged == merged, "the number of strata that were merged")
	p, q := v.Plan.Epsilon, v.Report.Epsilon
	w.Match(p.Factor == v.Most.RatString() && q.Factor == p.Factor && exact.Nats(p.Nats, v.Most) && q.Nats == p.Nats, "epsilon, the largest of any group,")
	if v.Order != nil {
		f, g, u := v.Plan.Floor, v.Report.Floor, v.Report.Utility
		w.Match(f.Rank == v.Worst.Rank && g.Rank == f.Rank && f.Value == v.Worst.Value && g.Value == f.Value && law.KeepsAsked(v), "the floor of all groups")
		w.Match(u.Worst == v.Worst.Value && exact.Near(u.Expected, mean, size) && u.Expected == v.Plan.Utility.Expected, "the utility of all groups")
	}
	if b := v.Report.Binding; b != nil && output >= 0 {
		letters, records := 0, int64(0)
		for x, row := range v.Strata[binding].Rows {
			if c := v.Strata[binding].Count[x]; c > 0 && slices.Contains(row.Output, int32(output)) {
				letters++
				records += c
			}
		}
		w.Match(b.Output == v.Plan.Outputs[output] && b.Letters == letters && b.Records == records, "the letters that decide epsilon")
	}
}

// checkOverall recomputes the factors for whoever does not know the stratum:
// n max_x p(y|x) / sum_x c_x p(y|x), where p(y|x) = sum_w c_wx p_w(y|x) / c_x.
func checkOverall(v *subject.View) {
	const name = "overall factor"
	var w verdict.Faults
	n, outputs := len(v.Count), len(v.Plan.Outputs)
	v.Factor = make([]*big.Rat, outputs)
	most := big.NewRat(1, 1)
	mean := make([]float64, n*outputs)
	for _, g := range v.Strata {
		for x, r := range g.Rows {
			for i, y := range r.Output {
				if g.Count[x] > 0 {
					mean[x*outputs+int(y)] += float64(g.Count[x]) / float64(v.Count[x]) * (float64(r.Weight[i]) / float64(r.Total))
				}
			}
		}
	}
	for y := range v.Factor {
		var peak *big.Rat
		top := 0.0
		for x := range n {
			top = max(top, mean[x*outputs+y])
		}
		for x := range n {
			if m := mean[x*outputs+y]; m > 0 && m >= top*(1-1e-9) {
				p := records(v, x, y)
				if p.Quo(p, new(big.Rat).SetInt64(v.Count[x])); peak == nil || p.Cmp(peak) > 0 {
					peak = p
				}
			}
		}
		if peak == nil {
			continue
		}
		v.Factor[y] = peak.Mul(peak, new(big.Rat).SetInt64(v.Total))
		v.Factor[y].Quo(peak, produced(v, y))
		if v.Factor[y].Cmp(most) > 0 {
			most = v.Factor[y]
		}
		giving := map[int]bool{}
		for _, rows := range v.Laws {
			for x, r := range rows {
				if _, ok := slices.BinarySearch(r.Output, int32(y)); ok {
					giving[x] = true
				}
			}
		}
		c := v.ClaimOf(y)
		if c == nil {
			w.Addf("output %d is missing", y+1)
			continue
		}
		w.Match(c.Factor == v.Factor[y].RatString() && exact.Nats(c.Nats, v.Factor[y]) && c.Support == len(giving), fmt.Sprintf("the factor or the letters of output %d", y+1))
	}
	r := v.Report.Strata
	w.Match(r.Overall == most.RatString() && exact.Nats(r.Nats, most), "the factor for whoever does not know the stratum")
	v.Settle(name, w, "whoever does not know the stratum: e^l(y) of every output, exactly; the largest is what the report states")
}

// records is c_x p(y|x): sum_w c_wx p_w(y|x), exactly.
func records(v *subject.View, x, y int) *big.Rat {
	sum := new(big.Rat)
	for _, g := range v.Strata {
		r := g.Rows[x]
		if i, ok := slices.BinarySearch(r.Output, int32(y)); ok && g.Count[x] > 0 {
			f := big.NewRat(g.Count[x], 1)
			sum.Add(sum, f.Mul(f, big.NewRat(r.Weight[i], r.Total)))
		}
	}
	return sum
}

// produced is sum_x c_x p(y|x): numerators are added up by denominator.
func produced(v *subject.View, y int) *big.Rat {
	over := map[int64]*big.Int{}
	for _, g := range v.Strata {
		for x, r := range g.Rows {
			if i, ok := slices.BinarySearch(r.Output, int32(y)); ok && g.Count[x] > 0 {
				if over[r.Total] == nil {
					over[r.Total] = new(big.Int)
				}
				k := big.NewInt(g.Count[x])
				over[r.Total].Add(over[r.Total], k.Mul(k, big.NewInt(r.Weight[i])))
			}
		}
	}
	sum := new(big.Rat)
	for total, k := range over {
		sum.Add(sum, new(big.Rat).SetFrac(k, big.NewInt(total)))
	}
	return sum
}
