package mechanism

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// readGroups reads the groups of the records; why says what is wrong with them.
func readGroups(v *document.View) (why string) {
	given := v.Plan.Given
	if (v.Plan.Method.Kind == "strata") != (given.Of != "") || len(v.Plan.Groups) == 0 || len(v.Laws) == 0 ||
		given.Of == "" && (len(v.Plan.Groups) > 1 || v.Plan.Groups[0].Names != nil || v.Plan.Groups[0].Rest) {
		return "the plan has no groups or mechanisms, or no column that tells groups apart"
	}
	all, records := make([]int64, len(v.Count)), make([]int64, len(v.Count))
	seen, rest := map[files.Label]bool{}, 0
	var groups []document.Group
	for i, g := range v.Plan.Groups {
		if g.Law < 0 || g.Law >= len(v.Laws) || len(g.Counts) != len(v.Count) {
			return fmt.Sprintf("group %d has no mechanism, or not one count per input", i+1)
		}
		e := document.Group{Rows: v.Laws[g.Law]}
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
		groups = append(groups, e)
	}
	for x, c := range all {
		if c != v.Count[x] {
			return fmt.Sprintf("the groups have %d records of input %d, the plan %d", c, x+1, v.Count[x])
		}
	}
	if !slices.Equal(records, v.Sample()) {
		return "the groups have other records than the plan"
	}
	if rest > 1 {
		return "two groups take what the plan does not name"
	}
	if shared := len(v.Laws) == 1 && len(groups) > 1; given.Of != "" && given.Rule != "shared" && given.Rule != "apart" ||
		shared && given.Rule == "apart" || len(v.Laws) > 1 && given.Rule == "shared" {
		return "its rule is not what its mechanisms show"
	}
	if v.Groups = groups; len(groups) == 1 {
		v.Rows = groups[0].Rows
	}
	return ""
}

// readSample reads the records of a group, and holds its prior to them.
func readSample(v *document.View, text []string, e *document.Group) (why string) {
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

// priorOf is what the prior of the plan is for these records of a group: they, and
// what was added to every letter, or the law that was declared; of several groups, in
// lowest terms as often as there are records.
func priorOf(v *document.View, sample []int64) ([]int64, bool) {
	switch {
	case v.Plan.Prior == nil:
		return sample, true
	case v.Plan.Prior.Of == "smoothed":
		return exact.Smoothed(sample, v.Plan.Prior.Smooth)
	case v.Plan.Given.Of == "":
		return v.Count, true
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

// CheckStrata holds the report's section of the strata to the plan and to what was
// recomputed of its groups.
func CheckStrata(v *document.View) {
	given := v.Plan.Given
	if known := v.Report.Has("strata"); given.Of == "" || !known {
		if given.Of != "" || known {
			v.Add("strata", false, "only one of plan and report knows of strata")
		}
		return
	}
	if v.Groups == nil {
		v.Leave("strata", "the mechanisms of the strata are not known", "strata")
		return
	}
	var w document.Faults
	least, _ := exact.Whole(given.Least)
	shown := slices.Contains(v.Report.Fate("published in clear"), given.Of)
	merged := 0
	for i, g := range v.Plan.Groups {
		if g.Rest {
			merged = len(g.Names)
		}
		if shown && (len(g.Names) > 1 || g.Rest && exact.Sum(v.Groups[i].Sample) > 0) {
			w.Addf("group %d has strata that were merged and that the output tells apart", i+1)
		}
	}
	v.Expect(&w, Figures{"strata.column": given.Of, "strata.function?": given.Function, "strata.given_only": given.Only,
		"strata.min": least, "strata.rule": given.Rule, "strata.published": shown, "strata.merged": merged})
	if o := v.Report.Option("given-only"); o != "" && v.Report.Command == "run" && !v.Report.Has("pinned") {
		w.Match(given.Only == (o == "true"),
			"who does not know the stratum and is promised nothing, which the options have otherwise,")
	}
	checkWeighed(v, &w)
	checkGroups(v, &w)
	v.Settle("strata", w, "%d groups, each with its records, its factor under their frequencies, and its floor",
		len(v.Groups))
	checkObserved(v, shown)
}

// checkWeighed holds the designs that were weighed to the one that was taken:
// it stands among them as it is, and no other that keeps epsilon in every
// stratum has a better floor, or the same and a better utility.
func checkWeighed(v *document.View, w *document.Faults) {
	given, f, made := v.Plan.Given, v.Plan.Floor, v.Plan
	if v.Made != nil {
		made = v.Made.Plan
	}
	taken, tried := 0, []Figures{}
	for _, t := range given.Tried {
		tried = append(tried, Figures{"rule": cmp.Or(t.Rule, "none"), "found": t.Found, "rank": t.Rank, "value": t.Value,
			"expected": t.Expected})
		switch {
		case t.Rule == "" || !t.Found:
		case t.Rule == given.Rule:
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

// checkGroups holds the report to the groups: who is in them, and what the checks of
// floor, factors and utility hold the plan to.
func checkGroups(v *document.View, w *document.Faults) {
	var groups []Figures
	for i, g := range v.Groups {
		p := v.Plan.Groups[i]
		letters, at := exact.Occur(g.Sample), -1
		most := exact.Largest(g.Factor)
		for y, f := range g.Factor {
			if f != nil && at < 0 && f.Cmp(most) == 0 {
				at = y
			}
		}
		records := exact.Sum(g.Sample)
		want := Figures{"strata": slices.Concat([]files.Label{}, p.Names), "rest?": p.Rest, "records": records,
			"letters": letters, "written": Stated{},
			"factor": most, "nats": p.Nats, "rank": p.Rank, "value": p.Value, "expected": p.Expected, "output": Stated{},
			"counts": Stated{}, "shift?": shiftOfGroup(v, g)}
		if at >= 0 {
			want["output"] = v.Plan.Outputs[at]
		}
		if v.Made == nil {
			want["counts"] = nil
		}
		groups = append(groups, want)
		if least, ok := exact.Whole(v.Plan.Given.Least); !ok || v.Made == nil && records < least &&
			(!p.Rest || len(v.Groups) > 1) {
			w.Addf("group %d has fewer records than strata are merged at", i+1)
		}
		if !p.Rest && len(p.Names) != 1 {
			w.Addf("group %d has several strata, and does not take what the plan does not name", i+1)
		}
	}
	v.Expect(w, Figures{"strata.groups": groups})
}
