package mechanism

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A present group is the records that have letters in the same columns.
type presentGroup struct {
	columns []int
	list    []combination
}

// CheckJointColumns compares what is said of each column with its own report.
func CheckJointColumns(v *document.View, of []*document.View, j *document.JointClaim) {
	var w document.Faults
	added := 0.0
	for i, c := range j.Columns {
		r := of[i].Report
		w.Match(c.Column == r.Column && c.Target == r.Epsilon.Target && c.Factor == r.Epsilon.Factor &&
			c.Nats == r.Epsilon.Nats, fmt.Sprintf("what column %d tells alone", i+1))
		added += r.Epsilon.Nats
	}
	w.Match(exact.Near(j.Added, added, 1), "the sum")
	v.Settle("joint columns", w, "what each of %d columns tells alone, and the sum, which is no bound", len(of))
}

// CheckJointFactor counts the combinations of letters of the input and looks
// for the outputs that tell most of them.
func CheckJointFactor(ctx context.Context, v *document.View, q document.Request, of []*document.View,
	j *document.JointClaim) error {
	names := []string{"joint counts", "joint factor", "joint target", "joint pairs", "who learns most", "joint presence"}
	why := "no input"
	for _, one := range of {
		if q.Input != "" && one.Rows == nil && !one.Empty() {
			why = "the rows of a plan are not known"
		}
	}
	claimed, ok := exact.Fraction(j.Factor)
	switch {
	case !ok:
		v.Add("joint factor", false, "it is no fraction")
		return nil
	case q.Input == "" || why != "no input":
		for _, name := range names {
			v.Skip(name, why)
		}
		return nil
	}
	list, err := combine(ctx, q.Input, of)
	if err != nil {
		return err
	}
	var w document.Faults
	least, records := int64(0), int64(0)
	for _, c := range list {
		if records += c.count; least == 0 || c.count < least {
			least = c.count
		}
	}
	w.Match(j.Records == records && j.Combinations == int64(len(list)) && j.Smallest == least,
		"the number of combinations, of records, or of those of the rarest")
	v.Settle(names[0], w, "%d combinations in %d records, the rarest in %d", len(list), records, least)

	every := make([]int, len(of))
	for i := range every {
		every[i] = i
	}
	best, bound := largestTogether(of, list, every)
	w = judged(claimed, j.Exact, best, bound)
	w.Match(exact.Nats(j.Nats, claimed), "the logarithm")
	w.Match(j.Rule == ruleOf(j.Exact), "the rule by which it was found")
	switch {
	case len(w) == 0 && best == nil && j.Exact:
		v.Skip(names[1], "the combinations of outputs are too many to go through")
	case j.Exact:
		v.Settle(names[1], w, "the largest of all combinations of outputs, exactly")
	default:
		v.Settle(names[1], w, "a bound, and not below what is reached")
	}
	checkJointTarget(v, of, j, claimed, names[2])
	checkJointPairs(v, of, j, list, best, bound, names[3])
	checkJointWorst(v, of, j, list, claimed, names[4])
	checkJointPresence(v, of, j, list)
	return nil
}

// ruleOf is what a report calls the way to the factor.
func ruleOf(exact bool) string {
	return document.Either(exact, "exact: over every combination of outputs",
		"bound: no output tells more than one over the share of the rarest combination of letters")
}

// judged compares a factor that is claimed with the largest, nil where that is
// not known, and with one that none exceeds.
func judged(claimed *big.Rat, exact bool, best, bound *big.Rat) (w document.Faults) {
	switch {
	case claimed.Cmp(bound) > 0 && (best == nil || claimed.Cmp(new(big.Rat).Mul(best,
		big.NewRat(1_000_001, 1_000_000))) > 0):
		w.Addf("the factor is larger than any can be")
	case best != nil && exact && claimed.Cmp(best) != 0:
		w.Addf("the factor is not that of the outputs that tell most")
	case best != nil && claimed.Cmp(best) < 0:
		w.Addf("the bound is below the factor of some outputs")
	case best == nil && !exact && claimed.Cmp(bound) < 0:
		w.Addf("the bound is below one over the share of the rarest combination, and more is not known")
	}
	return w
}

// largestTogether is the largest factor of some columns together, nil where it is
// not known, and one over the share of the rarest combination. Records with
// nulls that stay are judged apart by the columns they stand in.
func largestTogether(of []*document.View, list []combination, which []int) (best, bound *big.Rat) {
	best, bound = big.NewRat(1, 1), big.NewRat(1, 1)
	for _, g := range byNulls(list, which) {
		n, least := int64(0), g.list[0].count
		for _, c := range g.list {
			n, least = n+c.count, min(least, c.count)
		}
		if b := big.NewRat(n, least); b.Cmp(bound) > 0 {
			bound = b
		}
		f, _ := jointFactor(rowsOf(of, g.columns), g.list)
		switch {
		case f == nil:
			best = nil
		case best != nil && f.Cmp(best) > 0:
			best = f
		}
	}
	return best, bound
}

func byNulls(list []combination, which []int) []presentGroup {
	at := map[string]int{}
	var out []presentGroup
	seen := []map[string]int{}
	for _, c := range list {
		var g presentGroup
		own := combination{count: c.count}
		for _, i := range which {
			if c.letter[i] != files.Null {
				g.columns, own.letter = append(g.columns, i), append(own.letter, c.letter[i])
			}
		}
		if len(g.columns) == 0 {
			continue
		}
		key := fmt.Sprint(g.columns)
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key], out, seen = k, append(out, g), append(seen, map[string]int{})
		}
		letters := fmt.Sprint(own.letter)
		if i, ok := seen[k][letters]; ok {
			out[k].list[i].count += own.count
			continue
		}
		seen[k][letters] = len(out[k].list)
		out[k].list = append(out[k].list, own)
	}
	return out
}

func rowsOf(of []*document.View, columns []int) [][]exact.Row {
	var out [][]exact.Row
	for _, i := range columns {
		out = append(out, of[i].Rows)
	}
	return out
}

func checkJointTarget(v *document.View, of []*document.View, j *document.JointClaim, claimed *big.Rat, name string) {
	if j.Target == "" {
		v.Add(name, j.Scale == "" && of[0].Report.Option("joint-epsilon") == "",
			"no bound on all columns together was asked for")
		return
	}
	var w document.Faults
	t, ok := exact.ParseTarget(j.Target)
	if !ok || !t.Admits(claimed) {
		w.Addf("the columns together are above the epsilon asked for")
	}
	asked := of[0].Report.Option("joint-epsilon")
	w.Match(asked == "" || asked == j.Target, "the target, which the options have otherwise,")
	v.Settle(name, w, "all columns together stay within the epsilon asked for, exactly; epsilons were scaled by %s",
		j.Scale)
}

// checkJointPairs goes through every pair of columns; that of two columns is all of
// them, of which the caller knows the largest factor and its bound.
func checkJointPairs(v *document.View, of []*document.View, j *document.JointClaim, list []combination,
	best, bound *big.Rat, name string) {
	var w document.Faults
	unknown, at := 0, 0
	for i := range of {
		for k := range i {
			if at == len(j.Pairs) {
				w.Addf("a pair is missing")
				continue
			}
			p := j.Pairs[at]
			at++
			f, ok := exact.Fraction(p.Factor)
			if !ok || !slices.Equal(p.Columns, []string{of[k].Plan.Column, of[i].Plan.Column}) || !exact.Nats(p.Nats, f) {
				w.Addf("pair %d is not what the files give", at)
				continue
			}
			if len(of) > 2 {
				best, bound = largestTogether(of, list, []int{k, i})
			}
			if best == nil && p.Exact {
				unknown++
			}
			w.Match(p.Exact || best == nil, "that the factor of a pair is a bound, where it is known exactly,")
			w = append(w, judged(f, p.Exact, best, bound)...)
		}
	}
	w.Match(at == len(j.Pairs), "the number of pairs")
	v.Settle(name, w, "%d pairs, %d of them too large to go through", at, unknown)
}

// checkJointWorst recomputes what the outputs that are named make of each
// guess.
func checkJointWorst(v *document.View, of []*document.View, j *document.JointClaim, list []combination,
	claimed *big.Rat, name string) {
	if j.Worst == nil {
		v.Skip(name, "the report does not name it")
		return
	}
	var w document.Faults
	every := make([]int, len(of))
	for i := range every {
		every[i] = i
	}
	for _, g := range byNulls(list, every) {
		var columns []string
		for _, i := range g.columns {
			columns = append(columns, of[i].Plan.Column)
		}
		if !slices.Equal(columns, j.Worst.Columns) || len(j.Worst.Output) != len(columns) {
			continue
		}
		judgeWorst(v, of, g, j, claimed, &w)
		v.Settle(name, w, "the outputs that tell most, and %d guesses: how likely before and after", len(j.Worst.Guesses))
		return
	}
	v.Add(name, false, "no record has letters in the columns that are named")
}

func judgeWorst(v *document.View, of []*document.View, g presentGroup, j *document.JointClaim, claimed *big.Rat,
	w *document.Faults) {
	place := func(labels []files.Label, of []files.Label, k int) int32 { return int32(slices.Index(of, labels[k])) }
	rows := rowsOf(of, g.columns)
	var output []int32
	n := int64(0)
	for k, i := range g.columns {
		output = append(output, place(j.Worst.Output, of[i].Plan.Outputs, k))
	}
	for _, c := range g.list {
		n += c.count
	}
	w.Match(!j.Exact || chanceOf(rows, g.list, output, nil).Cmp(claimed) == 0, "the factor of the outputs named")
	var before *big.Rat
	for _, guess := range j.Worst.Guesses {
		if len(guess.Guess) != len(g.columns) {
			w.Addf("a guess is of other columns")
			return
		}
		var letter []int32
		for k, i := range g.columns {
			letter = append(letter, place(guess.Guess, of[i].Plan.Inputs, k))
		}
		f := chanceOf(rows, g.list, output, letter)
		held := int64(0)
		for _, c := range g.list {
			if slices.Equal(c.letter, letter) {
				held = c.count
			}
		}
		prior := float64(held) / float64(n)
		after, _ := f.Float64()
		w.Match(guess.Records == held && f.RatString() == guess.Factor && exact.Near(guess.Before, prior, 1) &&
			exact.Near(guess.After, prior*after, 1), "what the outputs make of a guess")
		w.Match(before == nil || f.Cmp(before) <= 0, "the order of the guesses")
		before = f
	}
}

// checkJointPresence recomputes what nulls that stay tell: with the outputs, and
// of the values of other columns.
func checkJointPresence(v *document.View, of []*document.View, j *document.JointClaim, list []combination) {
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
		v.Add(name, j.Shown == nil && len(j.Presence) == 0, "no null stays in any of the columns")
		return
	}
	if j.Shown == nil {
		v.Add(name, false, "nulls stay, and the report does not say what they tell")
		return
	}
	every := make([]int, len(of))
	for i := range every {
		every[i] = i
	}
	most := big.NewRat(1, 1)
	if blank > 0 {
		most = big.NewRat(total, blank)
	}
	known := true
	for _, g := range byNulls(list, every) {
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
	claimed, ok := exact.Fraction(j.Shown.Factor)
	w.Match(ok && exact.Nats(j.Shown.Nats, claimed) && claimed.Cmp(most) >= 0 &&
		(!known || !j.Shown.Exact || claimed.Cmp(most) == 0), "what all cells tell with which are null")

	at := 0
	pattern := func(by []int, x int) {
		if at == len(j.Presence) {
			w.Addf("what nulls tell of another column is missing")
			return
		}
		p := j.Presence[at]
		at++
		var columns []string
		for _, i := range by {
			columns = append(columns, of[i].Plan.Column)
		}
		factor, gain := told(list, by, x)
		w.Match(slices.Equal(p.By, columns) && p.Of == of[x].Plan.Column, "whose nulls tell of which column")
		w.Match(p.Factor == factor.RatString() && exact.Nats(p.Nats, factor) && exact.Near(p.Gain, gain, 1),
			fmt.Sprintf("what nulls tell of column %d", x+1))
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
	w.Match(at == len(j.Presence), "the number of columns whose nulls tell of another")
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
