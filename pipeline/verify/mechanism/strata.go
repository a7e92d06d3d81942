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
	m := &v.Plan.Mechanism
	if len(m.Rows) > 0 || m.Weights != "" || m.Kind != "strata" || len(s.Groups) == 0 || len(s.Laws) == 0 {
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
	s := v.Plan.Strata
	if known := v.Report.Has("strata"); s == nil || !known {
		if s != nil || known {
			v.Add("strata", false, "only one of plan and report knows of strata")
		}
		return
	}
	if v.Strata == nil {
		v.Leave("strata", "the mechanisms of the strata are not known", "strata", "floor", "outputs", "epsilon", "binding")
		return
	}
	var w document.Faults
	least, _ := exact.Whole(s.Least)
	shown := slices.Contains(v.Report.Fate("published in clear"), s.Of)
	merged := 0
	for i, g := range s.Groups {
		if g.Rest {
			merged = len(g.Names)
		}
		if shown && (len(g.Names) > 1 || g.Rest && exact.Sum(v.Strata[i].Sample) > 0) {
			w.Addf("group %d has strata that were merged and that the output tells apart", i+1)
		}
	}
	v.Expect(&w, Figures{"strata.column": s.Of, "strata.function?": s.Function, "strata.given_only": s.Only,
		"strata.min": least, "strata.rule": s.Rule, "strata.published": shown, "strata.merged": merged})
	if o := v.Report.Option("given-only"); o != "" && v.Report.Command == "run" && !v.Report.Has("pinned") {
		w.Match(s.Only == (o == "true"),
			"who does not know the stratum and is promised nothing, which the options have otherwise,")
	}
	checkWeighed(v, &w)
	checkGroups(v, &w)
	v.Settle("strata", w, "%d groups, each with its records, its mechanism, its factor under their frequencies, and its "+
		"floor", len(s.Groups))
	CheckFactors(v)
	checkObserved(v, shown)
}

// checkWeighed holds the designs that were weighed to the one that was taken:
// it stands among them as it is, and no other that keeps epsilon in every
// stratum has a better floor, or the same and a better utility.
func checkWeighed(v *document.View, w *document.Faults) {
	s, f, made := v.Plan.Strata, v.Plan.Floor, v.Plan
	if v.Made != nil {
		made = v.Made.Plan
	}
	taken, tried := 0, []Figures{}
	for _, t := range s.Tried {
		tried = append(tried, Figures{"rule": cmp.Or(t.Rule, "none"), "found": t.Found, "rank": t.Rank, "value": t.Value,
			"expected": t.Expected})
		switch {
		case t.Rule == "" || !t.Found:
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
	v.Expect(w, Figures{"strata.tried": tried})
}

// checkGroups recomputes every group, and sets the largest factor and the
// worst that can occur.
func checkGroups(v *document.View, w *document.Faults) {
	s := v.Plan.Strata
	v.Most = big.NewRat(1, 1)
	v.Worst.Rank, v.Worst.Value = len(v.Plan.Outputs), math.Inf(1)
	var groups []Figures
	var mean, size float64
	for i, g := range v.Strata {
		p := s.Groups[i]
		factor, at := big.NewRat(1, 1), -1
		for y, f := range exact.Factors(g.Rows, g.Count, g.Total, len(v.Plan.Outputs)) {
			if f != nil && (at < 0 || f.Cmp(factor) > 0) {
				factor, at = f, y
			}
		}
		if v.Strata[i].Most = factor; factor.Cmp(v.Most) > 0 {
			v.Most = factor
		}
		letters := 0
		for _, c := range g.Sample {
			if c > 0 {
				letters++
			}
		}
		records := exact.Sum(g.Sample)
		w.Match(p.Factor == factor.RatString() && exact.Nats(p.Nats, factor), fmt.Sprintf("the factor of group %d", i+1))
		want := Figures{"strata": p.Names, "rest?": p.Rest, "records": records, "letters": letters, "written": Stated{},
			"factor": factor, "nats": p.Nats, "rank": p.Rank, "value": p.Value, "expected": p.Expected, "output": Stated{},
			"counts": Stated{}, "shift?": shiftOfGroup(v, g)}
		if at >= 0 {
			want["output"] = v.Plan.Outputs[at]
		}
		if v.Made == nil {
			want["counts"] = nil
		}
		groups = append(groups, want)
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
		v.Worst.Rank, v.Worst.Value = min(v.Worst.Rank, rank), min(v.Worst.Value, value)
		alone := document.View{Rows: g.Rows, Count: g.Count, Total: g.Total, Order: v.Order}
		expected, of := Expected(&alone)
		w.Match(p.Rank == rank && p.Value == value, fmt.Sprintf("the floor of group %d", i+1))
		w.Match(exact.Near(p.Expected, expected, of) || g.Total == 0, fmt.Sprintf("the utility of group %d", i+1))
		share := float64(g.Total) / float64(max(1, v.Total))
		mean, size = mean+share*expected, size+share*of
	}
	v.Expect(w, Figures{"strata.groups": groups})
	if v.Order == nil {
		v.Seen("floor", "utility")
		return
	}
	expectFloor(v, w)
	expectUtility(v, w, mean, size)
}
