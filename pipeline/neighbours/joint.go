package neighbours

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// guessesTold is how many guesses a report lists.
const guessesTold = 5

// The rules by which a joint factor comes about.
const (
	wholeRule = "exact: over every combination of outputs"
	cellRule  = "bound: no output tells more than one over the share of the rarest combination of values"
)

// A Joined is what some of the parts tell together. Where nulls stay, they show
// which cells of a record are null, and it is relative to the records that have
// theirs in the same columns: the largest of these is told.
type Joined struct {
	judge.Joint
	at    []int        // the parts that are not null there
	cells []judge.Cell // of the records there, their letters in these parts
	n     int64        // records there
}

// Of computes what parts tell together, from the combinations of letters of
// all parts of a release.
func Of(parts []*plan.Plan, which []int, cells []judge.Cell) Joined {
	patterns, order := byPresence(parts, which, cells)
	best := Joined{Joint: judge.Joint{Factor: big.NewRat(1, 1), Exact: true}}
	exact := true
	for _, present := range order {
		j := Joined{cells: patterns[present]}
		var m []*mechanism.Mechanism
		for _, i := range which {
			if present>>i&1 == 1 {
				j.at, m = append(j.at, i), append(m, parts[i].Mechanism())
			}
		}
		for _, c := range j.cells {
			j.n += c.Count
		}
		j.Joint = judge.NewJoint(m, j.cells)
		exact = exact && j.Exact
		if best.n == 0 || j.Factor.Cmp(best.Factor) > 0 {
			best = j
		}
	}
	best.Exact = exact
	return best
}

// byPresence parts combinations by the columns that are not null, as bits, and
// leaves the letters of which.
func byPresence(parts []*plan.Plan, which []int, cells []judge.Cell) (patterns map[uint64][]judge.Cell,
	order []uint64) {
	whole := uint64(1)<<len(parts) - 1
	if len(which) == len(parts) &&
		!slices.ContainsFunc(cells, func(c judge.Cell) bool { return slices.Min(c.Letter) < 0 }) {
		if len(cells) == 0 {
			return nil, nil
		}
		return map[uint64][]judge.Cell{whole: cells}, []uint64{whole}
	}
	patterns = map[uint64][]judge.Cell{}
	for _, c := range cells {
		present := uint64(0)
		own := judge.Cell{Count: c.Count}
		for _, i := range which {
			if c.Letter[i] >= 0 {
				present |= 1 << i
				own.Letter = append(own.Letter, c.Letter[i])
			}
		}
		if present == 0 {
			continue
		}
		if patterns[present] == nil {
			order = append(order, present)
		}
		patterns[present] = append(patterns[present], own)
	}
	slices.Sort(order)
	for _, present := range order {
		patterns[present] = gather(patterns[present])
	}
	return patterns, order
}

// gather adds up equal combinations; those of all parts differ as they are.
func gather(cells []judge.Cell) []judge.Cell {
	slices.SortFunc(cells, func(a, b judge.Cell) int { return slices.Compare(a.Letter, b.Letter) })
	out := cells[:0]
	for _, c := range cells {
		if n := len(out); n > 0 && slices.Equal(out[n-1].Letter, c.Letter) {
			out[n-1].Count += c.Count
			continue
		}
		out = append(out, c)
	}
	return out
}

// Tell is the joint leakage as the report has it; target is nil where none was
// asked for.
func Tell(parts []*plan.Plan, cells []judge.Cell, all Joined, target *mechanism.Epsilon, scale *big.Rat) *report.Joint {
	out := &report.Joint{Factor: all.Factor.RatString(), Nats: mechanism.Nats(all.Factor), Exact: all.Exact,
		Rule:         wholeRule,
		Combinations: int64(len(cells)), Columns: []report.JointColumn{}, Pairs: []report.JointPair{}}
	if !all.Exact {
		out.Rule = cellRule
	}
	if target != nil {
		out.Target, out.Most = target.String(), min(target.FactorUp(), math.MaxFloat64)
	}
	if scale != nil {
		out.Scale = scale.RatString()
	}
	for _, c := range cells {
		out.Records += c.Count
		if out.Smallest == 0 || c.Count < out.Smallest {
			out.Smallest = c.Count
		}
	}
	for i, p := range parts {
		alone := mechanism.Nats(p.Factor())
		out.Added += alone
		out.Columns = append(out.Columns, report.JointColumn{Column: p.Column, Target: p.Target,
			Factor: p.Factor().RatString(), Nats: alone})
		for j := range i {
			pair := all
			if len(parts) > 2 {
				pair = Of(parts, []int{j, i}, cells)
			}
			out.Pairs = append(out.Pairs, report.JointPair{Columns: [2]string{parts[j].Column, p.Column},
				Factor: pair.Factor.RatString(), Nats: mechanism.Nats(pair.Factor), Exact: pair.Exact})
		}
	}
	out.Worst = insight(parts, all)
	if slices.ContainsFunc(cells, func(c judge.Cell) bool { return slices.Min(c.Letter) < 0 }) {
		f, exact := withPresence(parts, cells)
		out.Shown = &report.JointShown{Factor: f.RatString(), Nats: mechanism.Nats(f), Exact: exact}
	}
	out.Words = jointWords(out)
	tellPatterns(out, Patterns(parts, cells))
	return out
}

// insight says whom the outputs that tell most help, and how much.
func insight(parts []*plan.Plan, all Joined) *report.JointInsight {
	if all.Output == nil || all.n == 0 {
		return nil
	}
	out := &report.JointInsight{}
	var m []*mechanism.Mechanism
	for k, i := range all.at {
		p := parts[i]
		m = append(m, p.Mechanism())
		out.Columns = append(out.Columns, p.Column)
		out.Output = append(out.Output, p.OutputLabels()[all.Output[k]])
	}
	for _, g := range all.Explain(m, all.cells, guessesTold) {
		told := report.JointGuess{Records: g.Count, Before: report.FloatUp(big.NewRat(g.Count, all.n)),
			Factor: g.Factor.RatString(),
			After:  report.FloatUp(new(big.Rat).Mul(g.Factor, big.NewRat(g.Count, all.n)))}
		for k, i := range all.at {
			told.Guess = append(told.Guess, parts[i].InputLabels()[g.Letter[k]])
		}
		out.Guesses = append(out.Guesses, told)
	}
	out.Words = insightWords(out)
	return out
}

// insightWords say who learns most, with the letters.
func insightWords(w *report.JointInsight) string {
	if len(w.Guesses) == 0 {
		return ""
	}
	g := w.Guesses[0]
	return fmt.Sprintf("Most is learned by who sees the outputs %s of a record: that it holds %s was a guess right %.4g "+
		"times in 100 before, and is right %s times in 100 after.",
		labelled(w.Output), labelled(g.Guess), 100*g.Before, report.RoundUp(min(100, 100*g.After), 2))
}

// jointWords say what the figures mean, and name no letter.
func jointWords(j *report.Joint) []string {
	var names []string
	for _, c := range j.Columns {
		names = append(names, c.Column)
	}
	all := listed("%s", "%s", names)
	at := "is"
	if !j.Exact {
		at = "is at most"
	}
	out := []string{fmt.Sprintf("Whoever sees %s of one record together learns more than from any one of them: the "+
		"largest factor by which a guess of its values becomes likelier %s %s (%s nats).",
		all, at, upTo(j.Factor), report.RoundUp(j.Nats, 4))}
	switch {
	case j.Nats > j.Added*(1+1e-9):
		out = append(out, fmt.Sprintf("That is more than the columns' own epsilons add up to (%s): they are not independent.",
			report.RoundUp(j.Added, 4)))
	case j.Exact && j.Nats > j.Added*(1-1e-9):
		out = append(out, "It is what the columns' own epsilons add up to.")
	case j.Exact:
		out = append(out, fmt.Sprintf("The columns' own epsilons add up to %s, which says nothing by itself.",
			report.RoundUp(j.Added, 4)))
	}
	if j.Shown != nil {
		out = append(out, fmt.Sprintf("Nulls stay: that is among the records that are null in the same columns, for "+
			"somebody who knows which these are. With which cells are null, all cells of a record tell at most %s (%s nats).",
			upTo(j.Shown.Factor), report.RoundUp(j.Shown.Nats, 4)))
	}
	if j.Scale != "" {
		out = append(out, scaleWords(j))
	}
	if len(j.Columns) > 2 {
		out = append(out, "Pairs are shown for explanation; three columns may tell more than any two of them together "+
			"suggest.")
	}
	return out
}

// labelled lists labels.
func labelled(labels []report.Label) string {
	return strings.Join(quoted(labels), ", ")
}

// upTo shows a factor that may have many digits.
func upTo(fraction string) string {
	f, ok := new(big.Rat).SetString(fraction)
	if !ok || len(fraction) <= 12 {
		return fraction
	}
	return report.RoundUp(report.FloatUp(f), 4)
}

// Steps is how finely --joint-epsilon scales the columns' epsilons.
const Steps = 1024

// scaleWords say by which rule the epsilons were scaled.
func scaleWords(j *report.Joint) string {
	if j.Scale == "1" {
		return fmt.Sprintf("The joint epsilon asked for, %s, is kept as it is: no column's epsilon was lowered.", j.Target)
	}
	f, _ := new(big.Rat).SetString(j.Scale)
	v, _ := f.Float64()
	return fmt.Sprintf("To keep the joint epsilon asked for, %s, every column's epsilon was multiplied by %s (%.4g), "+
		"found by bisection over %d steps: the next step does not keep it. The epsilon that a plan states is the lower one.",
		j.Target, j.Scale, v, Steps)
}
