package strata

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Group is one stratum, or several that were merged.
type Group struct {
	Names []report.Label
	Rest  bool // it took in small strata, and takes strata that were not seen
	Count []int64
}

// Records is how many the group holds.
func (g *Group) Records() int64 {
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
func (t *Table) Group(s Spec, least int64, letters int) []Group {
	order := make([]int, len(t.Name))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return s.Compare(t.Name[a], t.Name[b]) })
	rest := Group{Rest: true, Count: make([]int64, letters)}
	var groups []Group
	for _, i := range order {
		g := Group{Names: []report.Label{t.Name[i]}, Count: t.Count[i]}
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
		slices.SortFunc(rest.Names, s.Compare)
	}
	return append(groups, rest)
}

func (g *Group) take(h Group) {
	g.Names = append(g.Names, h.Names...)
	for x, c := range h.Count {
		g.Count[x] += c
	}
}
