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

// by is the rule of a key of every value.
func by(name string, key func(v int) uint64) judge.Rule {
	return judge.Rule{Name: name, Key: func(to []uint64) {
		for v := range to {
			to[v] = key(v)
		}
	}}
}

// own is the value itself.
func own() judge.Rule { return by("its value", func(v int) uint64 { return uint64(v) }) }

// isNull is the rule whether there is a value.
func isNull(null int) judge.Rule {
	return by("whether it is null", func(v int) uint64 {
		if v == null {
			return 1
		}
		return 0
	})
}

// next is the rule of the values that stand next to one in an order, in which null, where it is not negative,
// has no place.
func next(name string, null int, order func() []int32) judge.Rule {
	return judge.Rule{Name: name, Order: func() []int32 {
		values := order()
		if null >= 0 {
			values = append(values, -1, int32(null))
		}
		return values
	}}
}
