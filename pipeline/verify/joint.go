package verify

import (
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// checkJoint makes every check of a release of several private columns: those
// of each column, named after its folder, and those of what all tell together.
func (v *verifier) checkJoint(ctx context.Context, q Request, data []byte) error {
	j := &jointFile{}
	if err := decode(data, q.Report, j); err != nil {
		return err
	}
	folder := filepath.Dir(q.Report)
	if q.Plan != filepath.Join(folder, "plan.json") || q.Order != filepath.Join(folder, "order.csv") {
		return errorf("leave --plan and --order out, or check a column by its own report", "%s is of several columns, which have a plan each", q.Report)
	}
	var of []*verifier
	var w wrong
	for i, p := range j.Parts {
		if p.Folder != strconv.Itoa(i+1) {
			return errorf("it was changed", "%s names a folder of no column", q.Report)
		}
		own := q
		own.Report = filepath.Join(folder, p.Folder, "report.json")
		own.Plan, own.Order, own.Trust = filepath.Join(folder, p.Folder, "plan.json"), filepath.Join(folder, p.Folder, "order.csv"), ""
		one := &verifier{report: &reportFile{}, plan: &planFile{}}
		reportData, err := readFile(own.Report, "--report")
		if err != nil {
			return err
		}
		if q.Trust != "" {
			own.Trust = q.Trust
			if err := one.checkTrust(ctx, own, reportData); err != nil {
				return err
			}
		}
		if err := one.checkRelease(ctx, own, reportData); err != nil {
			return err
		}
		for _, c := range one.Checks {
			v.Checks = append(v.Checks, Check{p.Folder + " " + c.Name, c.Outcome, c.Detail})
		}
		w.match(one.report.Column == p.Column && one.plan.Plan == p.Plan.Plan && one.plan.Design == p.Plan.Design, "a column or its plan")
		w.match(one.report.Joint != nil && reflect.DeepEqual(*one.report.Joint, j.Joint), "what a report says of all columns")
		w.match(one.report.Input == j.Input && one.report.Output == j.Output && one.report.Stamp == j.Stamp, "a file")
		of = append(of, one)
	}
	w.match(len(of) > 1 && len(j.Joint.Columns) == len(of), "the number of columns")
	if !v.settle("joint reports", w, "joint.json and the reports of %d columns say the same of all of them", len(of)) {
		return nil
	}
	v.checkJointColumns(of, &j.Joint)
	return v.checkJointFactor(ctx, q, of, &j.Joint)
}

// checkJointColumns compares what is said of each column with its own report.
func (v *verifier) checkJointColumns(of []*verifier, j *jointClaim) {
	var w wrong
	added := 0.0
	for i, c := range j.Columns {
		r := of[i].report
		w.match(c.Column == r.Column && c.Target == r.Epsilon.Target && c.Factor == r.Epsilon.Factor && c.Nats == r.Epsilon.Nats, fmt.Sprintf("what column %d tells alone", i+1))
		added += r.Epsilon.Nats
	}
	w.match(near(j.Added, added, 1), "the sum")
	v.settle("joint columns", w, "what each of %d columns tells alone, and the sum, which is no bound", len(of))
}

// checkJointFactor counts the combinations of letters of the input and looks
// for the outputs that tell most of them.
func (v *verifier) checkJointFactor(ctx context.Context, q Request, of []*verifier, j *jointClaim) error {
	names := []string{"joint counts", "joint factor", "joint target", "joint pairs", "who learns most"}
	why := "no input"
	for _, one := range of {
		if q.Input != "" && one.rows == nil && !one.empty() {
			why = "the rows of a plan are not known"
		}
	}
	claimed, ok := fraction(j.Factor)
	switch {
	case !ok:
		v.add("joint factor", false, "it is no fraction")
		return nil
	case q.Input == "" || why != "no input":
		for _, name := range names {
			v.skip(name, why)
		}
		return nil
	}
	list, err := combine(ctx, q.Input, of)
	if err != nil {
		return err
	}
	var w wrong
	least, records := int64(0), int64(0)
	for _, c := range list {
		if records += c.count; least == 0 || c.count < least {
			least = c.count
		}
	}
	w.match(j.Records == records && j.Combinations == int64(len(list)) && j.Smallest == least, "the number of combinations, of records, or of those of the rarest")
	v.settle(names[0], w, "%d combinations in %d records, the rarest in %d", len(list), records, least)

	every := make([]int, len(of))
	for i := range every {
		every[i] = i
	}
	best, bound := togetherOf(of, list, every)
	w = judged(claimed, j.Exact, best, bound)
	w.match(natsOf(j.Nats, claimed), "the logarithm")
	switch {
	case len(w) == 0 && best == nil && j.Exact:
		v.skip(names[1], "the combinations of outputs are too many to go through")
	case j.Exact:
		v.settle(names[1], w, "the largest of all combinations of outputs, exactly")
	default:
		v.settle(names[1], w, "a bound, and not below what is reached")
	}
	v.checkJointTarget(of, j, claimed, names[2])
	v.checkJointPairs(of, j, list, names[3])
	v.checkJointWorst(of, j, list, claimed, names[4])
	return nil
}

// judged compares a factor that is claimed with the largest, nil where that is
// not known, and with one that none exceeds.
func judged(claimed *big.Rat, exact bool, best, bound *big.Rat) (w wrong) {
	switch {
	case claimed.Cmp(bound) > 0 && (best == nil || claimed.Cmp(new(big.Rat).Mul(best, big.NewRat(1_000_001, 1_000_000))) > 0):
		w.addf("the factor is larger than any can be")
	case best != nil && exact && claimed.Cmp(best) != 0:
		w.addf("the factor is not that of the outputs that tell most")
	case best != nil && claimed.Cmp(best) < 0:
		w.addf("the bound is below the factor of some outputs")
	case best == nil && !exact && claimed.Cmp(bound) < 0:
		w.addf("the bound is below one over the share of the rarest combination, and more is not known")
	}
	return w
}

// togetherOf is the largest factor of some columns together, nil where it is
// not known, and one over the share of the rarest combination. Records with
// nulls that stay are judged apart by the columns they stand in.
func togetherOf(of []*verifier, list []combination, which []int) (best, bound *big.Rat) {
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

func rowsOf(of []*verifier, columns []int) [][]row {
	var out [][]row
	for _, i := range columns {
		out = append(out, of[i].rows)
	}
	return out
}

func (v *verifier) checkJointTarget(of []*verifier, j *jointClaim, claimed *big.Rat, name string) {
	if j.Target == "" {
		v.add(name, j.Scale == "" && of[0].report.option("joint-epsilon") == "", "no bound on all columns together was asked for")
		return
	}
	var w wrong
	t, ok := parseTarget(j.Target)
	if !ok || !t.admits(claimed) {
		w.addf("the columns together are above the epsilon asked for")
	}
	asked := of[0].report.option("joint-epsilon")
	w.match(asked == "" || asked == j.Target, "the target, which the options have otherwise,")
	v.settle(name, w, "all columns together stay within the epsilon asked for, exactly; epsilons were scaled by %s", j.Scale)
}

func (v *verifier) checkJointPairs(of []*verifier, j *jointClaim, list []combination, name string) {
	var w wrong
	unknown, at := 0, 0
	for i := range of {
		for k := range i {
			if at == len(j.Pairs) {
				w.addf("a pair is missing")
				continue
			}
			p := j.Pairs[at]
			at++
			f, ok := fraction(p.Factor)
			if !ok || !slices.Equal(p.Columns, []string{of[k].plan.Column, of[i].plan.Column}) || !natsOf(p.Nats, f) {
				w.addf("pair %d is not what the files give", at)
				continue
			}
			best, bound := togetherOf(of, list, []int{k, i})
			if best == nil && p.Exact {
				unknown++
			}
			w = append(w, judged(f, p.Exact, best, bound)...)
		}
	}
	w.match(at == len(j.Pairs), "the number of pairs")
	v.settle(name, w, "%d pairs, %d of them too large to go through", at, unknown)
}

// checkJointWorst recomputes what the outputs that are named make of each
// guess.
func (v *verifier) checkJointWorst(of []*verifier, j *jointClaim, list []combination, claimed *big.Rat, name string) {
	if j.Worst == nil {
		v.skip(name, "the report does not name it")
		return
	}
	var w wrong
	every := make([]int, len(of))
	for i := range every {
		every[i] = i
	}
	for _, g := range byNulls(list, every) {
		var columns []string
		for _, i := range g.columns {
			columns = append(columns, of[i].plan.Column)
		}
		if !slices.Equal(columns, j.Worst.Columns) || len(j.Worst.Output) != len(columns) {
			continue
		}
		v.judgeWorst(of, g, j, claimed, &w)
		v.settle(name, w, "the outputs that tell most, and %d guesses: how likely before and after", len(j.Worst.Guesses))
		return
	}
	v.add(name, false, "no record has letters in the columns that are named")
}

func (v *verifier) judgeWorst(of []*verifier, g presentGroup, j *jointClaim, claimed *big.Rat, w *wrong) {
	place := func(labels []cells.Label, of []cells.Label, k int) int32 { return int32(slices.Index(of, labels[k])) }
	rows := rowsOf(of, g.columns)
	var output []int32
	n := int64(0)
	for k, i := range g.columns {
		output = append(output, place(j.Worst.Output, of[i].plan.Outputs, k))
	}
	for _, c := range g.list {
		n += c.count
	}
	w.match(!j.Exact || chanceOf(rows, g.list, output, nil).Cmp(claimed) == 0, "the factor of the outputs named")
	var before *big.Rat
	for _, guess := range j.Worst.Guesses {
		if len(guess.Guess) != len(g.columns) {
			w.addf("a guess is of other columns")
			return
		}
		var letter []int32
		for k, i := range g.columns {
			letter = append(letter, place(guess.Guess, of[i].plan.Inputs, k))
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
		w.match(guess.Records == held && f.RatString() == guess.Factor && near(guess.Before, prior, 1) && near(guess.After, prior*after, 1), "what the outputs make of a guess")
		w.match(before == nil || f.Cmp(before) <= 0, "the order of the guesses")
		before = f
	}
}
