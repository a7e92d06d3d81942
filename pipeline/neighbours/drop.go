package neighbours

import (
	"cmp"
	"slices"
	"sort"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// A joint is columns that are judged all at once, by the best rule of each.
type joint struct {
	sample *judge.Sample
	law    *judge.Law
	part   []*judge.Part
	name   []string
}

// judge judges the columns without some.
func (j *joint) judge(without []string) judge.Verdict {
	var parts []*judge.Part
	for i, p := range j.part {
		if !slices.Contains(without, j.name[i]) {
			parts = append(parts, p)
		}
	}
	return judge.Together(j.sample, j.law, parts)
}

// Drop is a small set of columns without which nothing of what was found is refused: those
// that are refused alone, then of pairs the column that most of them have, then of all
// columns together the strongest, as long as the rest is refused.
func (r *Result) Drop(found []Finding) (drop []string) {
	gone := func(n string) bool { return slices.Contains(drop, n) }
	var pairs []Finding
	all := false
	for _, f := range found {
		switch {
		case !f.Refused || f.Names == nil:
		case len(f.Names) == 2 && !f.NotJudged: // a pair, be it all columns: without one of them the other is alone
			pairs = append(pairs, f)
		case r.All != nil && slices.Equal(f.Names, r.All.Names) && !f.NotJudged:
			all = true
		default:
			drop = append(drop, f.Names...)
		}
	}
	for {
		pairs = slices.DeleteFunc(pairs, func(f Finding) bool { return slices.ContainsFunc(f.Names, gone) })
		if len(pairs) == 0 {
			break
		}
		worth := map[string]float64{} // of a column: pairs; a tie goes to the one that tells more by itself
		var names []string
		for _, f := range pairs {
			for _, n := range f.Names {
				if worth[n]++; worth[n] == 1 {
					worth[n], names = 1+r.alone(n), append(names, n)
				}
			}
		}
		drop = append(drop, slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(worth[a], worth[b]) }))
	}
	if all {
		drop = append(drop, r.joint.drop(drop)...)
	}
	return drop
}

// alone is what a column gains by itself.
func (r *Result) alone(name string) float64 {
	for i := range r.Columns {
		if r.Columns[i].Names[0] == name {
			return r.Columns[i].Verdict.Gain
		}
	}
	return 0
}

// drop are the strongest columns without which, and without those that go anyway, the rest
// is not refused; each of them is needed, given the others.
func (j *joint) drop(gone []string) (drop []string) {
	var by []int
	for i, n := range j.name {
		if !slices.Contains(gone, n) {
			by = append(by, i)
		}
	}
	slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(j.part[b].Gain, j.part[a].Gain) })
	first := func(n int) (names []string) {
		for _, i := range by[:n] {
			names = append(names, j.name[i])
		}
		return names
	}
	passes := func(without []string) bool {
		return j.judge(slices.Concat(gone, without)).Outcome < judge.Refuse
	}
	drop = first(sort.Search(len(by), func(n int) bool { return passes(first(n)) }))
	for i := len(drop) - 1; i >= 0 && len(drop) <= 32; i-- {
		if rest := slices.Delete(slices.Clone(drop), i, i+1); passes(rest) {
			drop = rest
		}
	}
	return drop
}
