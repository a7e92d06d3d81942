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
func checkJointPresence(v *document.View, of []*document.View, j *jointClaim, list []combination,
	groups []*presentGroup) {
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
	shown := claimed(j.At("with_presence"))
	if shown == nil {
		v.Seen("joint.presence", "joint.with_presence")
		v.Add(name, false, "nulls stay, and the report does not say what they tell")
		return
	}
	_, w = judged(shown, groups, among(groups, func(a, b *presentGroup) bool { return slices.Equal(a.group, b.group) }))
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

// among weighs groups for whoever does not know before which cells are null, and of the
// groups of a plan knows which records are alike: the factor of records with the same nulls
// and groups, times one over their share of those that are alike.
func among(groups []*presentGroup, alike func(a, b *presentGroup) bool) func(*presentGroup) *big.Rat {
	return func(own *presentGroup) *big.Rat {
		n := int64(0)
		for _, g := range groups {
			if alike(g, own) {
				n += g.records
			}
		}
		return big.NewRat(n, own.records)
	}
}

// checkJointGroups recomputes what all cells tell whoever does not know the groups.
func checkJointGroups(v *document.View, of []*document.View, j *jointClaim, groups []*presentGroup, name string) {
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
	for _, one := range of {
		w.Match(one.Empty() || one.Plan.Given.Spec() == given.Spec(), "the group column of a plan")
	}
	unaware := claimed(j.At("unaware"))
	if unaware == nil {
		v.Seen("joint.given", "joint.unaware")
		v.Add(name, false, "the report does not say what is told to whoever does not know the group")
		return
	}
	// It bounds all observers, so no report calls it exact; it is as exact as the joint factor.
	_, faults := judged(&jointClaim{unaware.Node, unaware.factor, j.exact}, groups,
		among(groups, func(_, _ *presentGroup) bool { return true }))
	w = append(w, faults...)
	v.Expect(&w, Figures{"joint.given": given.Spec(), "joint.unaware": Figures{"factor": unaware.factor,
		"nats": unaware.factor, "exact": false}})
	v.Settle(name, w, "what all cells of a record tell whoever does not know its group of %s, from the counts of the "+
		"input", given.Spec())
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
