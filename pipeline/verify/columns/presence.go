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
	for i := range of {
		if slices.ContainsFunc(list, func(c combination) bool { return c.letter[i] == files.Null }) {
			with = append(with, i)
		}
	}
	var w document.Faults
	if len(with) == 0 {
		v.Expect(&w, Figures{"joint.with_presence": nil, "joint.presence": nil})
		v.Settle(name, w, "no null stays in any of the columns")
		return
	}
	most, known := shownTo(of, list, func(a, b []int32) bool { return slices.Equal(a, b) })
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

// shownTo is the largest factor of all columns together for whoever does not know before
// which cells are null, and of groups knows which records are alike: that of records with
// the same nulls and groups, times one over their share of those that are alike. known is
// false where some factor is not known.
func shownTo(of []*document.View, list []combination, alike func(a, b []int32) bool) (most *big.Rat, known bool) {
	most, known = big.NewRat(1, 1), true
	take := func(f *big.Rat, group []int32, records int64) {
		n := int64(0)
		for _, c := range list {
			if alike(c.group, group) {
				n += c.count
			}
		}
		if f = new(big.Rat).Mul(f, big.NewRat(n, records)); f.Cmp(most) > 0 {
			most = f
		}
	}
	blank := map[string]combination{} // by groups, records of nulls alone
	for _, c := range list {
		if slices.ContainsFunc(c.letter, func(x int32) bool { return x != files.Null }) {
			continue
		}
		b := blank[fmt.Sprint(c.group)]
		blank[fmt.Sprint(c.group)] = combination{group: c.group, count: b.count + c.count}
	}
	for _, b := range blank {
		take(big.NewRat(1, 1), b.group, b.count)
	}
	for _, g := range byNulls(list, all(of)) {
		n := int64(0)
		for _, c := range g.list {
			n += c.count
		}
		f, _ := jointFactor(rowsOf(of, all(of), g), g.list)
		if f == nil {
			known = false
			continue
		}
		take(f, g.group, n)
	}
	return most, known
}

// checkJointGroups recomputes what all cells tell whoever does not know the groups.
func checkJointGroups(v *document.View, of []*document.View, j *jointClaim, list []combination, name string) {
	var w document.Faults
	given := of[0].Plan.Given
	for _, one := range of {
		if given.Of == "" {
			given = one.Plan.Given
		}
	}
	if given.Of == "" {
		v.Expect(&w, Figures{"joint.given": nil, "joint.unaware": nil})
		v.Settle(name, w, "no group column is given")
		return
	}
	column := given.Of
	if given.Function != "" {
		column = given.Function + "(" + given.Of + ")"
	}
	for _, one := range of {
		w.Match(one.Empty() || one.Plan.Given.Of == given.Of && one.Plan.Given.Function == given.Function,
			"the group column of a plan")
	}
	unaware := claimed(j.At("unaware"))
	if unaware == nil {
		v.Seen("joint.given", "joint.unaware")
		v.Add(name, false, "the report does not say what is told to whoever does not know the group")
		return
	}
	most, known := shownTo(of, list, func(_, _ []int32) bool { return true })
	w.Match(unaware.factor.Cmp(most) >= 0 && (!known || unaware.factor.Cmp(most) == 0),
		"what all cells tell whoever does not know the group")
	v.Expect(&w, Figures{"joint.given": column, "joint.unaware": Figures{"factor": unaware.factor,
		"nats": unaware.factor, "exact": false}})
	v.Settle(name, w, "what all cells of a record tell whoever does not know its group of %s, from the counts of the input",
		column)
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
