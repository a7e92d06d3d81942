package verify

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// checkStrata recomputes what plan and report say of every stratum from the
// rows and counts of the plan.
func (v *verifier) checkStrata() {
	s, r := v.plan.Strata, v.report.Strata
	if s == nil || r == nil {
		if s != nil || r != nil {
			v.add("strata", false, "only one of plan and report knows of strata")
		}
		return
	}
	if v.strata == nil {
		v.skip("strata", "the mechanisms of the strata are not known")
		return
	}
	var w wrong
	w.match(r.Column == s.Of && r.Function == s.Function && fmt.Sprint(r.Min) == s.Least && r.Rule == s.Rule && len(r.Groups) == len(s.Groups) && len(r.Tried) == len(s.Tried),
		"what the report says of the plan's strata")
	if len(w) > 0 {
		v.settle("strata", w, "")
		return
	}
	v.checkWeighed(&w)
	v.checkGroups(&w)
	v.settle("strata", w, "%d groups, each with its records, its mechanism, its factor under their frequencies, and its floor", len(s.Groups))
	v.checkOverall()
}

// checkWeighed holds the designs that were weighed to the one that was taken:
// it stands among them as it is, and no other that keeps epsilon in every
// stratum has a better floor, or the same and a better utility.
func (v *verifier) checkWeighed(w *wrong) {
	s, r, f := v.plan.Strata, v.report.Strata, v.plan.Floor
	taken := 0
	for i, t := range s.Tried {
		none := t.Rule == ""
		t.Rule = cmp.Or(t.Rule, "none")
		w.match(t == r.Tried[i], "a design that was weighed, which the plan has otherwise,")
		switch {
		case none || !t.Found:
		case t.Rule == s.Rule:
			taken++
			w.match(t.Rank == f.Rank && t.Value == f.Value && t.Expected == v.plan.Utility.Expected, "the design that was taken, as it was weighed,")
		case f.Asked == "best" && (f.By == "value" && t.Value > f.Value || f.By != "value" && t.Rank > f.Rank):
			w.addf("a design with a better floor was weighed, and not taken")
		}
	}
	if taken != 1 {
		w.addf("the design that was taken is not among those that were weighed")
	}
}

// checkGroups recomputes every group, and sets the largest factor and the
// worst that can occur.
func (v *verifier) checkGroups(w *wrong) {
	s, r := v.plan.Strata, v.report.Strata
	v.most = big.NewRat(1, 1)
	v.worst.rank, v.worst.value = len(v.plan.Outputs), math.Inf(1)
	binding, output, merged := -1, -1, 0
	var mean, size float64
	for i, g := range v.strata {
		p, q := s.Groups[i], r.Groups[i]
		factor, at := big.NewRat(1, 1), -1
		for y, f := range factors(g.rows, g.count, g.total, len(v.plan.Outputs)) {
			if f != nil && (at < 0 || f.Cmp(factor) > 0) {
				factor, at = f, y
			}
		}
		if binding < 0 || factor.Cmp(v.most) > 0 {
			binding, output, v.most = i, at, factor
		}
		w.match(p.Factor == factor.RatString() && natsOf(p.Nats, factor) && q.Factor == p.Factor && q.Nats == p.Nats, fmt.Sprintf("the factor of group %d", i+1))
		w.match(at < 0 || q.Output == v.plan.Outputs[at], fmt.Sprintf("the output that decides group %d", i+1))
		letters := 0
		for _, c := range g.count {
			if c > 0 {
				letters++
			}
		}
		w.match(q.Records == g.total && q.Letters == letters && slices.Equal(p.Names, q.Names) && p.Rest == q.Rest, fmt.Sprintf("the records of group %d", i+1))
		if p.Rest {
			merged = len(p.Names)
		}
		if least, ok := whole(s.Least); !ok || g.total < least && (!p.Rest || len(s.Groups) > 1) {
			w.addf("group %d has fewer records than strata are merged at", i+1)
		}
		if !p.Rest && len(p.Names) != 1 {
			w.addf("group %d has several strata, and does not take what the plan does not name", i+1)
		}
		if v.order == nil {
			continue
		}
		rank, value := len(v.plan.Outputs), math.Inf(1)
		for x, row := range g.rows {
			values, ranks := v.order.row(x), v.order.ranks(x)
			for _, y := range row.output {
				if !v.allow.has(x, int(y)) {
					w.addf("row %d of group %d gives an output that the floor forbids", x+1, i+1)
				}
				rank, value = min(rank, ranks[y]), min(value, values[y])
			}
		}
		w.match(p.Rank == rank && p.Value == value && q.Rank == rank && q.Value == value, fmt.Sprintf("the floor of group %d", i+1))
		v.worst.rank, v.worst.value = min(v.worst.rank, rank), min(v.worst.value, value)
		alone := verifier{rows: g.rows, count: g.count, total: g.total, order: v.order}
		expected, of := alone.expected()
		w.match(near(p.Expected, expected, of) && q.Expected == p.Expected || g.total == 0, fmt.Sprintf("the utility of group %d", i+1))
		share := float64(g.total) / float64(max(1, v.total))
		mean, size = mean+share*expected, size+share*of
	}
	w.match(r.Merged == merged, "the number of strata that were merged")
	p, q := v.plan.Epsilon, v.report.Epsilon
	w.match(p.Factor == v.most.RatString() && q.Factor == p.Factor && natsOf(p.Nats, v.most) && q.Nats == p.Nats, "epsilon, the largest of any group,")
	if v.order != nil {
		f, g, u := v.plan.Floor, v.report.Floor, v.report.Utility
		w.match(f.Rank == v.worst.rank && g.Rank == f.Rank && f.Value == v.worst.value && g.Value == f.Value && v.keepsAsked(), "the floor of all groups")
		w.match(u.Worst == v.worst.value && near(u.Expected, mean, size) && u.Expected == v.plan.Utility.Expected, "the utility of all groups")
	}
	if b := v.report.Binding; b != nil && output >= 0 {
		letters, records := 0, int64(0)
		for x, row := range v.strata[binding].rows {
			if c := v.strata[binding].count[x]; c > 0 && slices.Contains(row.output, int32(output)) {
				letters++
				records += c
			}
		}
		w.match(b.Output == v.plan.Outputs[output] && b.Letters == letters && b.Records == records, "the letters that decide epsilon")
	}
}

// checkOverall recomputes the factors for whoever does not know the stratum:
// n max_x p(y|x) / sum_x c_x p(y|x), where p(y|x) = sum_w c_wx p_w(y|x) / c_x.
func (v *verifier) checkOverall() {
	const name = "overall factor"
	var w wrong
	n, outputs := len(v.count), len(v.plan.Outputs)
	v.factor = make([]*big.Rat, outputs)
	most := big.NewRat(1, 1)
	mean := make([]float64, n*outputs)
	for _, g := range v.strata {
		for x, r := range g.rows {
			for i, y := range r.output {
				if g.count[x] > 0 {
					mean[x*outputs+int(y)] += float64(g.count[x]) / float64(v.count[x]) * (float64(r.weight[i]) / float64(r.total))
				}
			}
		}
	}
	for y := range v.factor {
		var peak *big.Rat
		top := 0.0
		for x := range n {
			top = max(top, mean[x*outputs+y])
		}
		for x := range n {
			if m := mean[x*outputs+y]; m > 0 && m >= top*(1-1e-9) {
				p := v.records(x, y)
				if p.Quo(p, new(big.Rat).SetInt64(v.count[x])); peak == nil || p.Cmp(peak) > 0 {
					peak = p
				}
			}
		}
		if peak == nil {
			continue
		}
		v.factor[y] = peak.Mul(peak, new(big.Rat).SetInt64(v.total))
		v.factor[y].Quo(peak, v.produced(y))
		if v.factor[y].Cmp(most) > 0 {
			most = v.factor[y]
		}
		giving := map[int]bool{}
		for _, rows := range v.laws {
			for x, r := range rows {
				if _, ok := slices.BinarySearch(r.output, int32(y)); ok {
					giving[x] = true
				}
			}
		}
		c := v.claimOf(y)
		if c == nil {
			w.addf("output %d is missing", y+1)
			continue
		}
		w.match(c.Factor == v.factor[y].RatString() && natsOf(c.Nats, v.factor[y]) && c.Support == len(giving), fmt.Sprintf("the factor or the letters of output %d", y+1))
	}
	r := v.report.Strata
	w.match(r.Overall == most.RatString() && natsOf(r.Nats, most), "the factor for whoever does not know the stratum")
	v.settle(name, w, "whoever does not know the stratum: e^l(y) of every output, exactly; the largest is what the report states")
}

// records is c_x p(y|x): sum_w c_wx p_w(y|x), exactly.
func (v *verifier) records(x, y int) *big.Rat {
	sum := new(big.Rat)
	for _, g := range v.strata {
		r := g.rows[x]
		if i, ok := slices.BinarySearch(r.output, int32(y)); ok && g.count[x] > 0 {
			f := big.NewRat(g.count[x], 1)
			sum.Add(sum, f.Mul(f, big.NewRat(r.weight[i], r.total)))
		}
	}
	return sum
}

// produced is sum_x c_x p(y|x): numerators are added up by denominator.
func (v *verifier) produced(y int) *big.Rat {
	over := map[int64]*big.Int{}
	for _, g := range v.strata {
		for x, r := range g.rows {
			if i, ok := slices.BinarySearch(r.output, int32(y)); ok && g.count[x] > 0 {
				if over[r.total] == nil {
					over[r.total] = new(big.Int)
				}
				k := big.NewInt(g.count[x])
				over[r.total].Add(over[r.total], k.Mul(k, big.NewInt(r.weight[i])))
			}
		}
	}
	sum := new(big.Rat)
	for total, k := range over {
		sum.Add(sum, new(big.Rat).SetFrac(k, big.NewInt(total)))
	}
	return sum
}
