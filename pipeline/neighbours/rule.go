package neighbours

import "github.com/tacet-privacy/tacet/estimate/judge"

// A rule is the key of a cell of some type. Rules stand in the table of their type, so
// that a new one is one entry: textTable, wholeTable, floatTable and momentTable.
type rule[T any] struct {
	name string
	key  func(cell T) uint64
}

// ruled are the rules of a table for the cells of a column, by value; unknown ones have
// the key 0.
func ruled[T any](cell []T, unknown []bool, table []rule[T]) (rules []judge.Rule) {
	for _, r := range table {
		rules = append(rules, judge.Rule{Name: r.name, Key: func(to []uint64) {
			for v, x := range cell {
				if to[v] = 0; !unknown[v] {
					to[v] = r.key(x)
				}
			}
		}})
	}
	return rules
}

// own is the value itself.
func own(values int) judge.Rule {
	return judge.Rule{Name: "its value", Key: func(to []uint64) {
		for v := range values {
			to[v] = uint64(v)
		}
	}}
}

// Null is the rule whether there is a value.
func Null(null int) judge.Rule {
	return judge.Rule{Name: "whether it is null", Key: func(to []uint64) {
		clear(to)
		to[null] = 1
	}}
}
