package request

import (
	"cmp"
	"slices"
)

// A Group is what an option is about. Help, completion, the manual page and the list of
// commands show options by it.
type Group int

// The groups, in the order in which they are shown. Options of commands that have few
// are in none.
const (
	Ungrouped Group = iota
	What
	Promise
	Ranking
	Beside
	Written
	Again
	Advanced
)

var groupNames = []string{"", "what", "promise", "order", "other columns", "output", "again every night", "advanced"}

// String is the name of the group, "" of Ungrouped.
func (g Group) String() string { return groupNames[g] }

// ByGroup puts options in the order of their groups, and within a group in the order of
// the table.
func ByGroup(all []*Option) []*Option {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *Option) int { return cmp.Compare(a.Group, b.Group) })
}
