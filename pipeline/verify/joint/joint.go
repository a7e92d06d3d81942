// Package joint checks what is said of several private columns together.
package joint

import (
	"context"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckJointColumns compares what is said of each column with its own report.
func CheckJointColumns(v *subject.View, of []*subject.View, j *document.JointClaim) {
	var w verdict.Faults
	added := 0.0
	for i, c := range j.Columns {
		r := of[i].Report
		w.Match(c.Column == r.Column && c.Target == r.Epsilon.Target && c.Factor == r.Epsilon.Factor && c.Nats == r.Epsilon.Nats, fmt.Sprintf("what column %d tells alone", i+1))
		added += r.Epsilon.Nats
	}
	w.Match(exact.Near(j.Added, added, 1), "the sum")
	v.Settle("joint columns", w, "what each of %d columns tells alone, and the sum, which is no bound", len(of))
}

// CheckJointFactor counts the combinations of letters of the input and looks
// for the outputs that tell most of them.
func CheckJointFactor(ctx context.Context, v *subject.View, q document.Request, of []*subject.View, j *document.JointClaim) error {
	names := []string{"joint counts", "joint factor", "joint target", "joint pairs", "who learns most"}
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
	var w verdict.Faults
	least, records := int64(0), int64(0)
	for _, c := range list {
		if records += c.count; least == 0 || c.count < least {
			least = c.count
		}
	}
	w.Match(j.Records == records && j.Combinations == int64(len(list)) && j.Smallest == least, "the number of combinations, of records, or of those of the rarest")
	v.Settle(names[0], w, "%d combinations in %d records, the rarest in %d", len(list), records, least)

	every := make([]int, len(of))
	for i := range every {
		every[i] = i
	}
	best, bound := togetherOf(of, list, every)
	w = judged(claimed, j.Exact, best, bound)
	w.Match(exact.Nats(j.Nats, claimed), "the logarithm")
	switch {
	case len(w) == 0 && best == nil && j.Exact:
		v.Skip(names[1], "the combinations of outputs are too many to go through")
	case j.Exact:
		v.Settle(names[1], w, "the largest of all combinations of outputs, exactly")
	default:
		v.Settle(names[1], w, "a bound, and not below what is reached")
	}
	checkJointTarget(v, of, j, claimed, names[2])
	checkJointPairs(v, of, j, list, names[3])
	checkJointWorst(v, of, j, list, claimed, names[4])
	return nil
}

// judged compares a factor that is claimed with the largest, nil where that is
// not known, and with one that none exceeds.
func judged(claimed *big.Rat, exact bool, best, bound *big.Rat) (w verdict.Faults) {
	switch {
	case claimed.Cmp(bound) > 0 && (best == nil || claimed.Cmp(new(big.Rat).Mul(best, big.NewRat(1_000_001, 1_000_000))) > 0):
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

// togetherOf is the largest factor of some columns together, nil where it is
// not known, and one over the share of the rarest combination. Records with
// nulls that stay are judged apart by the columns they stand in.
func togetherOf(of []*subject.View, list []combination, which []int) (best, bound *big.Rat) {
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

// A present group is the records that have letters in the same columns.
type presentGroup struct {
	columns []int
	list    []combination
}

func byNulls(list []combination, which []int) []presentGroup {
	at := map[string]int{}
	var out []presentGroup
	seen := []map[string]int{}
	for _, c := range list {
		var g presentGroup
		own := combination{count: c.count}
		for _, i := range which {
			if c.letter[i] != cells.Null {
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

func rowsOf(of []*subject.View, columns []int) [][]exact.Row {
	var out [][]exact.Row
	for _, i := range columns {
		out = append(out, of[i].Rows)
	}
	return out
}

func checkJointTarget(v *subject.View, of []*subject.View, j *document.JointClaim, claimed *big.Rat, name string) {
	if j.Target == "" {
		v.Add(name, j.Scale == "" && of[0].Report.Option("joint-epsilon") == "", "no bound on all columns together was asked for")
		return
	}
	var w verdict.Faults
	t, ok := exact.ParseTarget(j.Target)
	if !ok || !t.Admits(claimed) {
		w.Addf("the columns together are above the epsilon asked for")
	}
	asked := of[0].Report.Option("joint-epsilon")
	w.Match(asked == "" || asked == j.Target, "the target, which the options have otherwise,")
	v.Settle(name, w, "all columns together stay within the epsilon asked for, exactly; epsilons were scaled by %s", j.Scale)
}
