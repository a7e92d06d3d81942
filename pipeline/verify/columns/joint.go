package columns

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A jointClaim is a factor that is claimed, which may be a bound.
type jointClaim struct {
	Node
	factor *big.Rat
	exact  bool
}

// claimed is the factor at a place; nil where there is none.
func claimed(n Node) *jointClaim {
	if f, ok := n.Factor("factor"); ok {
		return &jointClaim{n, f, n.Bool("exact")}
	}
	return nil
}

// CheckJointColumns compares what is said of each column with its own report.
func CheckJointColumns(v *document.View, of []*document.View) {
	var w document.Faults
	added := 0.0
	var columns []Figures
	for _, one := range of {
		e := one.Report.At("epsilon")
		columns = append(columns, Figures{"column": one.Report.Text("column"), "target": e.Text("target"),
			"factor": e.Text("factor"), "nats": e.Float("nats")})
		added += e.Float("nats")
	}
	v.Expect(&w, Figures{"joint.columns": columns, "joint.added_nats": rounded(added, 1),
		"joint.words": Rule(func(n Node) bool { return len(n.Texts("")) > 0 })})
	v.Settle("joint columns", w, "what each of %d columns tells alone, and the sum, which is no bound", len(of))
}

// CheckJointFactor counts the combinations of letters of the input and looks
// for the outputs that tell most of them.
func CheckJointFactor(ctx context.Context, v *document.View, q document.Request, of []*document.View,
	open Groups) error {
	names := []string{"joint counts", "joint factor", "joint target", "joint pairs", "who learns most", "joint presence",
		"joint groups"}
	why := "no input"
	for _, one := range of {
		if q.Input != "" && one.Groups == nil && !one.Empty() {
			why = "the rows of a plan are not known"
		}
	}
	j := claimed(v.Report.At("joint"))
	switch {
	case j == nil:
		v.Add("joint factor", false, "it is no fraction")
		return nil
	case q.Input == "" || why != "no input":
		for _, name := range names {
			v.Leave(name, why, "joint")
		}
		return nil
	}
	list, err := combine(ctx, q, of, open)
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
	v.Expect(&w, Figures{"joint.records": records, "joint.combinations": len(list), "joint.smallest": least})
	v.Settle(names[0], w, "%d combinations in %d records, the rarest in %d", len(list), records, least)
	groups := byNulls(of, list, all(of))
	known, w := judged(j, groups, once)
	v.Expect(&w, Figures{"joint.factor": j.factor, "joint.nats": j.factor, "joint.exact": j.exact,
		"joint.rule": ruleOf(j.exact)})
	switch {
	case len(w) == 0 && !known && j.exact:
		v.Skip(names[1], "the combinations of outputs are too many to go through")
	case j.exact:
		v.Settle(names[1], w, "the largest of all combinations of outputs, exactly")
	default:
		v.Settle(names[1], w, "a bound, and not below what is reached")
	}
	checkJointTarget(v, of, j, names[2])
	checkJointPairs(v, of, j, list, groups, names[3])
	checkJointWorst(v, of, j, groups, names[4])
	checkJointPresence(v, of, j, list, groups)
	checkJointGroups(v, of, j, groups, names[6])
	return nil
}

// all are the places of all columns.
func all(of []*document.View) (every []int) {
	for i := range of {
		every = append(every, i)
	}
	return every
}

// ruleOf is what a report calls the way to the factor.
func ruleOf(exact bool) string {
	return document.Either(exact, "exact: over every combination of outputs",
		"bound: no output tells more than one over the share of the rarest combination of values")
}

// checkJointTarget holds the factor to the epsilon asked for. By what the epsilons of
// the columns were scaled is held by each of them.
func checkJointTarget(v *document.View, of []*document.View, j *jointClaim, name string) {
	var w document.Faults
	target, asked := j.Text("target"), of[0].Report.Option("joint-epsilon")
	if target == "" {
		v.Expect(&w, Figures{"joint.target": nil, "joint.target_factor": nil, "joint.scale": nil})
		w.Match(asked == "", "the target, which the options have otherwise,")
		v.Settle(name, w, "no bound on all columns together was asked for")
		return
	}
	t, ok := exact.ParseTarget(target)
	if !ok || !t.Admits(j.factor) {
		w.Addf("the columns together are above the epsilon asked for")
	}
	w.Match(asked == "" || asked == target, "the target, which the options have otherwise,")
	_, scaled := j.Factor("scale")
	v.Expect(&w, Figures{"joint.target": some, "joint.target_factor": Rule(func(n Node) bool {
		return ok && exact.Near(n.Float(""), min(t.Exp(), math.MaxFloat64), 0) || n.Float("") >= t.Exp() &&
			n.Float("") <= t.Exp()*(1+1e-8)
	}), "joint.scale": Rule(func(Node) bool { return scaled })})
	v.Settle(name, w, "all columns together stay within the epsilon asked for, exactly; epsilons were scaled by %s",
		j.Text("scale"))
}

// checkJointPairs recomputes what two columns tell; groups are those of all columns.
func checkJointPairs(v *document.View, of []*document.View, j *jointClaim, list []combination, groups []*presentGroup,
	name string) {
	var w document.Faults
	unknown := 0
	stated := j.List("pairs")
	var pairs []Figures
	for i := range of {
		for k := range i {
			want := Figures{"columns": []string{of[k].Plan.Column, of[i].Plan.Column}, "factor": some, "nats": number,
				"exact": truth}
			if at := len(pairs); at < len(stated) && claimed(stated[at]) != nil {
				p := claimed(stated[at])
				want["factor"], want["nats"] = p.factor, p.factor
				if len(of) > 2 {
					groups = byNulls(of, list, []int{k, i})
				}
				known, faults := judged(p, groups, once)
				if !known && p.exact {
					unknown++
				}
				w = append(w, faults...)
			}
			pairs = append(pairs, want)
		}
	}
	v.Expect(&w, Figures{"joint.pairs": pairs})
	v.Settle(name, w, "%d pairs, %d of them too large to go through", len(pairs), unknown)
}

// checkJointWorst recomputes what the outputs that are named make of each
// guess.
func checkJointWorst(v *document.View, of []*document.View, j *jointClaim, groups []*presentGroup, name string) {
	v.Seen("joint.worst")
	worst := j.At("worst")
	switch {
	case !worst.Has("") && j.exact && slices.ContainsFunc(groups,
		func(g *presentGroup) bool { return len(g.columns) > 0 }):
		v.Add(name, false, "the report does not name it, and has a factor that is reached")
		return
	case !worst.Has(""):
		v.Skip(name, "the report does not name it")
		return
	}
	for _, g := range groups {
		var columns []string
		for _, i := range g.columns {
			columns = append(columns, of[i].Plan.Column)
		}
		if columns == nil || !slices.Equal(columns, worst.Texts("columns")) || len(worst.List("output")) != len(columns) {
			continue
		}
		var drawn []int64
		for _, i := range g.columns {
			if len(of[i].Groups) > 1 {
				drawn = append(drawn, int64(g.group[i])+1)
			}
		}
		var named []int64
		for _, n := range worst.List("groups") {
			named = append(named, n.Int(""))
		}
		if !slices.Equal(drawn, named) {
			continue
		}
		var w document.Faults
		guesses := judgeWorst(v, of, g, j, &w)
		document.Diff(&w, "joint.worst", worst, Figures{"columns": columns, "output": worst.Labels("output"),
			"groups?": drawn, "guesses": guesses, "words": some})
		v.Settle(name, w, "the outputs that tell most, and %d guesses: how likely before and after", len(guesses))
		return
	}
	v.Add(name, false, "no record has values in the columns that are named")
}

// judgeWorst is what the outputs make of the guesses that are named, the one that
// becomes likelier the most first.
func judgeWorst(v *document.View, of []*document.View, g *presentGroup, j *jointClaim, w *document.Faults) (
	guesses []Figures) {
	place := func(labels []files.Label, of []files.Label, k int) int32 { return int32(slices.Index(of, labels[k])) }
	var output []int32
	for k, i := range g.columns {
		output = append(output, place(j.Labels("worst.output"), of[i].Plan.Outputs, k))
	}
	w.Match(!j.exact || chanceOf(g.rows, g.list, output, nil).Cmp(j.factor) == 0, "the factor of the outputs named")
	var before *big.Rat
	for _, guess := range j.List("worst.guesses") {
		labels := guess.Labels("guess")
		if len(labels) != len(g.columns) {
			w.Addf("a guess is of other columns")
			return guesses
		}
		var letter []int32
		for k, i := range g.columns {
			letter = append(letter, place(labels, of[i].Plan.Inputs, k))
		}
		f := chanceOf(g.rows, g.list, output, letter)
		held := int64(0)
		for _, c := range g.list {
			if slices.Equal(c.letter, letter) {
				held = c.count
			}
		}
		prior := float64(held) / float64(g.records)
		after, _ := f.Float64()
		guesses = append(guesses, Figures{"guess": labels, "records": held, "before": rounded(prior, 1),
			"after": rounded(prior*after, 1), "factor": f})
		w.Match(before == nil || f.Cmp(before) <= 0, "the order of the guesses")
		before = f
	}
	return guesses
}
