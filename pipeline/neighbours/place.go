package neighbours

import (
	"fmt"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// Places are the rules by the place of a row in a file of so many: value v is
// the row row[v], and row[v+1] follows it where it is the next one.
func Places(row []int64, of int64) []judge.Rule {
	rules := []judge.Rule{{Name: "the rows next to it", Order: func() []int32 {
		var order []int32
		for v := range row {
			if v > 0 && row[v] != row[v-1]+1 {
				order = append(order, -1)
			}
			order = append(order, int32(v))
		}
		return order
	}}}
	for parts := int64(16); parts <= 1024; parts *= 4 {
		if long := of / parts; long >= 4 {
			rules = append(rules, judge.Rule{Name: fmt.Sprintf("its place, in %d parts", parts), Key: func(to []uint64) {
				for v, r := range row {
					to[v] = uint64(r / long)
				}
			}})
		}
	}
	for m := int64(2); m <= 100; m++ {
		if m > 32 && m != 48 && m != 50 && m != 60 && m != 64 && m != 96 && m != 100 {
			continue
		}
		rules = append(rules, judge.Rule{Name: fmt.Sprintf("its place, the remainder by %d", m), Key: func(to []uint64) {
			for v, r := range row {
				to[v] = uint64(r % m)
			}
		}})
	}
	return rules
}
