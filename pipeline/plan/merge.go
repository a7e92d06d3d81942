package plan

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Group is one stratum, or several that were merged.
type Stratum struct {
	Names []report.Label
	Rest  bool // it took in small strata, and takes strata that were not seen
	Count []int64
}

// Records is how many the group holds.
func (g *Stratum) Records() int64 {
	n := int64(0)
	for _, c := range g.Count {
		n += c
	}
	return n
}

// Group puts the strata of fewer than least records into one group, the rest.
// Where that has fewer, too, it takes in the smallest other group, of several
// the first in the order of names. Groups stand in the order of names, the
// rest last.
func (t *Table) Group(least int64, letters int) []Stratum {
	order := make([]int, len(t.Name))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return CompareStrata(t.Name[a], t.Name[b]) })
	rest := Stratum{Rest: true, Count: make([]int64, letters)}
	var groups []Stratum
	for _, i := range order {
		g := Stratum{Names: []report.Label{t.Name[i]}, Count: t.Count[i]}
		if g.Records() >= least {
			groups = append(groups, g)
			continue
		}
		rest.take(g)
	}
	if len(t.Name) > 0 && rest.Names == nil {
		return groups
	}
	if rest.Records() < least && len(groups) > 0 {
		smallest := 0
		for i := range groups {
			if groups[i].Records() < groups[smallest].Records() {
				smallest = i
			}
		}
		rest.take(groups[smallest])
		groups = slices.Delete(groups, smallest, smallest+1)
		slices.SortFunc(rest.Names, CompareStrata)
	}
	return append(groups, rest)
}

func (g *Stratum) take(h Stratum) {
	g.Names = append(g.Names, h.Names...)
	for x, c := range h.Count {
		g.Count[x] += c
	}
}
