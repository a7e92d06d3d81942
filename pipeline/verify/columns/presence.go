package columns

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// checkJointPresence recomputes what nulls that stay tell: with the outputs, and
// of the values of other columns.
func checkJointPresence(v *document.View, of []*document.View, j *jointClaim, list []combination) {
	const name = "joint presence"
	var with []int // columns with nulls that stay
	total, blank := int64(0), int64(0)
	for i := range of {
		if slices.ContainsFunc(list, func(c combination) bool { return c.letter[i] == files.Null }) {
			with = append(with, i)
		}
	}
	for _, c := range list {
		if total += c.count; !slices.ContainsFunc(c.letter, func(x int32) bool { return x != files.Null }) {
			blank += c.count
		}
	}
	var w document.Faults
	if len(with) == 0 {
		v.Expect(&w, Figures{"joint.with_presence": nil, "joint.presence": nil})
		v.Settle(name, w, "no null stays in any of the columns")
		return
	}
	most := big.NewRat(1, 1)
	if blank > 0 {
		most = big.NewRat(total, blank)
	}
	known := true
	for _, g := range byNulls(list, all(of)) {
		n := int64(0)
		for _, c := range g.list {
			n += c.count
		}
		f, _ := jointFactor(rowsOf(of, g.columns), g.list)
		if f == nil {
			known = false
			continue
		}
		if f = new(big.Rat).Mul(f, big.NewRat(total, n)); f.Cmp(most) > 0 {
			most = f
		}
	}
	shown := claimed(j.At("with_presence"))
	if shown == nil {
		v.Seen("joint.presence", "joint.with_presence")
		v.Add(name, false, "nulls stay, and the report does not say what they tell")
		return
	}
	w.Match(shown.factor.Cmp(most) >= 0 && (!known || !shown.exact || shown.factor.Cmp(most) == 0),
		"what all cells tell with which are null")
	var presence []Figures
	pattern := func(by []int, x int) {
		var columns []string
		for _, i := range by {
			columns = append(columns, of[i].Plan.Column)
		}
		factor, gain := told(list, by, x)
		presence = append(presence, Figures{"by": columns, "of": of[x].Plan.Column, "factor": factor, "nats": factor,
			"gain": rounded(gain, 1), "beyond": Stated{}})
	}
	for x := range of {
		if of[x].Empty() {
			continue
		}
		by := slices.DeleteFunc(slices.Clone(with), func(i int) bool { return i == x })
		for _, i := range by {
			pattern([]int{i}, x)
		}
		if len(by) > 1 {
			pattern(by, x)
		}
	}
	v.Expect(&w, Figures{"joint.presence?": presence, "joint.with_presence": Figures{"factor": shown.factor,
		"nats": shown.factor, "exact": truth}})
	v.Settle(name, w, "what %d columns with nulls tell of the others, and all cells with which are null, from the "+
		"counts of the input", len(with))
}

// told is the largest factor by which the nulls of some columns multiply the
// chance of a value of another, and by how many records in all the best guess
// of it is right more often.
func told(list []combination, by []int, of int) (factor *big.Rat, gain float64) {
	rows, sum := map[string]map[int32]int64{}, map[int32]int64{}
	n := int64(0)
	for _, c := range list {
		if c.letter[of] == files.Null {
			continue
		}
		key := ""
		for _, i := range by {
			key += fmt.Sprint(c.letter[i] == files.Null)
		}
		if rows[key] == nil {
			rows[key] = map[int32]int64{}
		}
		rows[key][c.letter[of]] += c.count
		sum[c.letter[of]] += c.count
		n += c.count
	}
	factor = big.NewRat(1, 1)
	most := func(of map[int32]int64) (largest, total int64) {
		for _, k := range of {
			largest, total = max(largest, k), total+k
		}
		return largest, total
	}
	right := int64(0)
	for _, row := range rows {
		largest, total := most(row)
		right += largest
		for x, k := range row {
			if f := new(big.Rat).Mul(big.NewRat(k, total), big.NewRat(n, sum[x])); f.Cmp(factor) > 0 {
				factor = f
			}
		}
	}
	if base, _ := most(sum); n > 0 {
		gain = float64(right-base) / float64(n)
	}
	return factor, gain
}
