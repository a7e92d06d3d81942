package mechanism

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// readStrata reads mechanisms and groups; why says what is wrong with them.
func readStrata(v *document.View) (why string) {
	s := v.Plan.Strata
	if len(v.Plan.Mechanism.Rows) > 0 || v.Plan.Mechanism.Kind != "strata" || len(s.Groups) == 0 || len(s.Laws) == 0 {
		return "the plan has rows for all strata together, or no strata"
	}
	for i, m := range s.Laws {
		rows, why := ReadRows(v, m)
		if why != "" {
			return fmt.Sprintf("mechanism %d: %s", i+1, why)
		}
		v.Laws = append(v.Laws, rows)
	}
	all, records := make([]int64, len(v.Count)), make([]int64, len(v.Count))
	seen, rest := map[files.Label]bool{}, 0
	var strata []document.Stratum
	for i, g := range s.Groups {
		e := document.Stratum{Law: g.Law}
		if g.Law < 0 || g.Law >= len(v.Laws) || len(g.Counts) != len(v.Count) {
			return fmt.Sprintf("group %d has no mechanism, or not one count per input", i+1)
		}
		e.Rows = v.Laws[g.Law]
		for x, text := range g.Counts {
			c, ok := exact.Whole(text)
			if !ok || c > exact.MaxTotal-e.Total || c > v.Count[x]-all[x] {
				return fmt.Sprintf("group %d: the count of input %d is no number of its records", i+1, x+1)
			}
			e.Count, e.Total = append(e.Count, c), e.Total+c
			all[x] += c
		}
		if why := readSample(v, g.Records, &e); why != "" {
			return fmt.Sprintf("group %d: %s", i+1, why)
		}
		for x, c := range e.Sample {
			records[x] += c
		}
		for _, n := range g.Names {
			if seen[n] {
				return fmt.Sprintf("group %d has a stratum that stands twice", i+1)
			}
			seen[n] = true
		}
		if g.Rest {
			rest++
		}
		strata = append(strata, e)
	}
	for x, c := range all {
		if c != v.Count[x] {
			return fmt.Sprintf("the strata have %d records of input %d, the plan %d", c, x+1, v.Count[x])
		}
	}
	if !slices.Equal(records, v.Sample()) {
		return "the strata have other records than the plan"
	}
	if rest > 1 {
		return "two groups take what the plan does not name"
	}
	if shared := len(v.Laws) == 1 && len(s.Groups) > 1; s.Rule != "shared" && s.Rule != "apart" || shared &&
		s.Rule == "apart" || len(v.Laws) > 1 && s.Rule == "shared" {
		return "its rule is not what its mechanisms show"
	}
	v.Strata = strata
	return ""
}

// readSample reads the records of a group, and holds its prior to them.
func readSample(v *document.View, text []string, e *document.Stratum) (why string) {
	if e.Sample = e.Count; v.Plan.Prior == nil {
		if len(text) > 0 {
			return "it has records beside its counts, and the plan no other prior"
		}
		return ""
	}
	var ok bool
	if e.Sample, ok = whole(text, len(v.Count)); !ok {
		return "there is not one number of records per input"
	}
	if prior, ok := priorOf(v, e.Sample); !ok || !slices.Equal(prior, e.Count) {
		return "its counts are not what the plan's prior makes of its records"
	}
	return ""
}

// priorOf is what the prior of the plan is for these records of a stratum: they, and
// what was added to every letter, or the law that was declared, in lowest terms, as
// often as there are records.
func priorOf(v *document.View, sample []int64) ([]int64, bool) {
	if v.Plan.Prior == nil {
		return sample, true
	}
	if v.Plan.Prior.Of == "smoothed" {
		return exact.Smoothed(sample, v.Plan.Prior.Smooth)
	}
	n, common := exact.Sum(sample), new(big.Int)
	if exact.Sum(v.Sample()) == 0 {
		n = 1
	}
	for _, c := range v.Count {
		common.GCD(nil, nil, common, big.NewInt(c))
	}
	if common.Sign() == 0 {
		return nil, false
	}
	out := make([]int64, len(v.Count))
	for x, c := range v.Count {
		k := big.NewInt(c / common.Int64())
		if k.Mul(k, big.NewInt(n)); !k.IsInt64() {
			return nil, false
		}
		out[x] = k.Int64()
	}
	return out, true
}

// StrataSum is the SHA-256 of what draws depend on where there are strata:
// letters; 2^64-1 in place of the number of rows; column and function as
// labels; number of mechanisms and each of them as rows; number of groups and
// of each its mechanism, 1 for the rest and else 0, and its strata.
func StrataSum(v *document.View) string {
	s, of := files.NewStream(), v.Plan.Strata
	s.Labels(v.Plan.Inputs)
	s.Labels(v.Plan.Outputs)
	s.Number(math.MaxUint64)
	s.Labels([]files.Label{{Text: of.Of}, {Text: of.Function}})
	s.Number(uint64(len(v.Laws)))
	for _, rows := range v.Laws {
		s.Rows(rows)
	}
	s.Number(uint64(len(of.Groups)))
	for _, g := range of.Groups {
		s.Number(uint64(g.Law))
		rest := uint64(0)
		if g.Rest {
			rest = 1
		}
		s.Number(rest)
		s.Labels(g.Names)
	}
	return s.Sum()
}

// CheckStrata recomputes what plan and report say of every stratum from the
// rows and counts of the plan.
func CheckStrata(v *document.View) {
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
	var w document.Faults
	w.Match(r.Column == s.Of && r.Function == s.Function && r.Only == s.Only && fmt.Sprint(r.Min) == s.Least &&
		r.Rule == s.Rule && len(r.Groups) == len(s.Groups) && len(r.Tried) == len(s.Tried),
		"what the report says of the plan's strata")
	if len(w) > 0 {
		v.Settle("strata", w, "")
		return
	}
	checkWeighed(v, &w)
	checkGroups(v, &w)
	checkWhom(v, &w)
	v.Settle("strata", w, "%d groups, each with its records, its mechanism, its factor under their frequencies, and its "+
		"floor", len(s.Groups))
	checkOverall(v)
	checkObserved(v)
}

// checkWhom holds what is said of who is promised something to the columns of
// the output and the options: published strata are not merged.
func checkWhom(v *document.View, w *document.Faults) {
	s, r := v.Plan.Strata, v.Report.Strata
	shown := slices.Contains(v.Report.Fate("published in clear"), s.Of)
	w.Match(r.Shown == shown, "whether the strata are published")
	if o := v.Report.Option("given-only"); o != "" && v.Report.Command == "run" && v.Report.Pinned == nil {
		w.Match(r.Only == (o == "true"),
			"who does not know the stratum and is promised nothing, which the options have otherwise,")
	}
	for i, g := range s.Groups {
		if shown && (len(g.Names) > 1 || g.Rest && exact.Sum(v.Strata[i].Sample) > 0) {
			w.Addf("group %d has strata that were merged and that the output tells apart", i+1)
		}
	}
}

// checkWeighed holds the designs that were weighed to the one that was taken:
// it stands among them as it is, and no other that keeps epsilon in every
// stratum has a better floor, or the same and a better utility.
func checkWeighed(v *document.View, w *document.Faults) {
	s, r, f, made := v.Plan.Strata, v.Report.Strata, v.Plan.Floor, v.Plan
	if v.Made != nil {
		made = v.Made.Plan
	}
	taken := 0
	for i, t := range s.Tried {
		none := t.Rule == ""
		t.Rule = cmp.Or(t.Rule, "none")
		w.Match(t == r.Tried[i], "a design that was weighed, which the plan has otherwise,")
		switch {
		case none || !t.Found:
		case t.Rule == s.Rule:
			taken++
			w.Match(t.Rank == f.Rank && t.Value == f.Value && t.Expected == made.Utility.Expected,
				"the design that was taken, as it was weighed,")
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
func checkGroups(v *document.View, w *document.Faults) {
	s, r := v.Plan.Strata, v.Report.Strata
	v.Most = big.NewRat(1, 1)
	v.Worst.Rank, v.Worst.Value = len(v.Plan.Outputs), math.Inf(1)
	merged := 0
	var mean, size float64
	for i, g := range v.Strata {
		p, q := s.Groups[i], r.Groups[i]
		factor, at := big.NewRat(1, 1), -1
		for y, f := range exact.Factors(g.Rows, g.Count, g.Total, len(v.Plan.Outputs)) {
			if f != nil && (at < 0 || f.Cmp(factor) > 0) {
				factor, at = f, y
			}
		}
		if v.Strata[i].Most = factor; factor.Cmp(v.Most) > 0 {
			v.Most = factor
		}
		w.Match(p.Factor == factor.RatString() && exact.Nats(p.Nats, factor) && q.Factor == p.Factor && q.Nats == p.Nats,
			fmt.Sprintf("the factor of group %d", i+1))
		w.Match(at < 0 || q.Output == v.Plan.Outputs[at], fmt.Sprintf("the output that decides group %d", i+1))
		letters := 0
		for _, c := range g.Sample {
			if c > 0 {
				letters++
			}
		}
		records := exact.Sum(g.Sample)
		w.Match(q.Records == records && q.Letters == letters && slices.Equal(p.Names, q.Names) && p.Rest == q.Rest,
			fmt.Sprintf("the records of group %d", i+1))
		if p.Rest {
			merged = len(p.Names)
		}
		if least, ok := exact.Whole(s.Least); !ok || v.Made == nil && records < least && (!p.Rest || len(s.Groups) > 1) {
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
		w.Match(p.Rank == rank && p.Value == value && q.Rank == rank && q.Value == value, fmt.Sprintf("the floor of group %d",
			i+1))
		v.Worst.Rank, v.Worst.Value = min(v.Worst.Rank, rank), min(v.Worst.Value, value)
		alone := document.View{Rows: g.Rows, Count: g.Count, Total: g.Total, Order: v.Order}
		expected, of := Expected(&alone)
		w.Match(exact.Near(p.Expected, expected, of) && q.Expected == p.Expected || g.Total == 0,
			fmt.Sprintf("the utility of group %d", i+1))
		share := float64(g.Total) / float64(max(1, v.Total))
		mean, size = mean+share*expected, size+share*of
	}
	w.Match(r.Merged == merged, "the number of strata that were merged")
	if v.Order != nil {
		f, g, u := v.Plan.Floor, v.Report.Floor, v.Report.Utility
		w.Match(f.Rank == v.Worst.Rank && g.Rank == f.Rank && f.Value == v.Worst.Value && g.Value == f.Value && KeepsAsked(v),
			"the floor of all groups")
		least, longest := math.MaxInt, 0
		for _, g := range v.Strata {
			for _, row := range g.Rows {
				least, longest = min(least, len(row.Output)), max(longest, len(row.Output))
			}
		}
		w.Match(g.Of == len(v.Plan.Outputs) && g.Least == least && g.Most == longest,
			"the number of outputs, or of those that a letter has,")
		w.Match(g.Words == f.Words && g.Asked == f.Asked && g.NextRank == f.NextRank && g.NextFactor == f.NextFactor,
			"what the report says of the plan's floor")
		w.Match(u.Unit == v.Plan.Order.Unit && u.UpperBound == v.Plan.Utility.UpperBound && u.UpperBound >= u.Expected,
			"unit or bound of the utility, which the plan has otherwise,")
		w.Match(u.Worst == v.Worst.Value && exact.Near(u.Expected, mean, size) && u.Expected == v.Plan.Utility.Expected,
			"the utility of all groups")
		checkPreferred(v, w)
	}
}

// checkOverall recomputes the factors for whoever does not know the stratum:
// n max_x p(y|x) / sum_x c_x p(y|x), where p(y|x) = sum_w c_wx p_w(y|x) / c_x.
func checkOverall(v *document.View) {
	const name = "overall factor"
	var w document.Faults
	most := big.NewRat(1, 1)
	v.Factor = MixedFactors(v, len(v.Plan.Outputs))
	for y, f := range v.Factor {
		if f == nil {
			continue
		}
		if f.Cmp(most) > 0 {
			most = f
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
		w.Match(c.Factor == v.Factor[y].RatString() && exact.Nats(c.Nats, v.Factor[y]) && c.Support == len(giving),
			fmt.Sprintf("the factor or the letters of output %d", y+1))
	}
	r := v.Report.Strata
	w.Match(r.Overall == most.RatString() && exact.Nats(r.OverallNats, most),
		"the factor for whoever does not know the stratum")
	w.Match(r.Known == v.Most.RatString() && exact.Nats(r.KnownNats, v.Most), "the factor for whoever knows the stratum")
	checkGroupBinding(v, &w, v.Most, most)
	if v.Unaware = most; !r.Only && most.Cmp(v.Most) > 0 {
		v.Most = most
	}
	p, q := v.Plan.Epsilon, v.Report.Epsilon
	w.Match(p.Factor == v.Most.RatString() && q.Factor == p.Factor && exact.Nats(p.Nats, v.Most) && q.Nats == p.Nats,
		"epsilon, the larger of both where both are promised,")
	v.Settle(name, w, "whoever does not know the stratum: e^l(y) of every output, exactly; the largest is what the "+
		"report states")
}

// checkGroupBinding recomputes the letters that decide epsilon, for the observer who
// learns most of those whom it is kept for.
func checkGroupBinding(v *document.View, w *document.Faults, known, overall *big.Rat) {
	b := v.Report.Binding
	if b == nil {
		return
	}
	groups, factor := v.Strata, v.Factor
	if v.Report.Strata.Only || overall.Cmp(known) <= 0 {
		at := slices.IndexFunc(v.Strata, func(g document.Stratum) bool { return g.Most.Cmp(known) == 0 })
		groups = v.Strata[at : at+1]
		factor = exact.Factors(groups[0].Rows, groups[0].Count, groups[0].Total, len(v.Plan.Outputs))
	}
	output := -1
	for y, f := range factor {
		if f != nil && (output < 0 || f.Cmp(factor[output]) > 0) {
			output = y
		}
	}
	if output < 0 {
		w.Addf("letters decide epsilon, and there is no output")
		return
	}
	letters, records := 0, int64(0)
	for x := range v.Count {
		own := int64(0)
		for _, g := range groups {
			if _, ok := slices.BinarySearch(g.Rows[x].Output, int32(output)); ok {
				own += g.Count[x]
			}
		}
		if records += own; own > 0 {
			letters++
		}
	}
	w.Match(b.Output == v.Plan.Outputs[output] && b.Letters == letters && b.Records == records,
		"the letters that decide epsilon")
}
