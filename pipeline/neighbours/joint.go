package neighbours

import (
	"cmp"
	"encoding/binary"
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
	cellRule  = "bound: the outputs tell no more, nor more than one over the share of the rarest combination of values"
)

// A Joined is what some of the parts tell together. Where nulls stay, they show
// which cells of a record are null, and it is relative to the records that have
// theirs in the same columns; with strata, to those of the same groups. The largest
// of these is told.
type Joined struct {
	judge.Joint
	crowd
}

// A crowd is the records that are null in the same parts, and in the same groups of
// their plans.
type crowd struct {
	at     []int        // the parts that are not null there
	groups []int32      // of every part that is looked at
	cells  []judge.Cell // of the records there, their letters in these parts
	n      int64        // records there
}

// laws draw the parts of a crowd.
func (c *crowd) laws(parts []*plan.Plan, which []int) (m []*mechanism.Mechanism) {
	for k, i := range which {
		if slices.Contains(c.at, i) {
			m = append(m, parts[i].Groups[c.groups[k]].Mechanism)
		}
	}
	return m
}

// Of computes what parts tell together, from the combinations of letters of
// all parts of a release.
func Of(parts []*plan.Plan, which []int, cells []judge.Cell) Joined {
	best := Joined{Joint: judge.Joint{Factor: big.NewRat(1, 1), Exact: true}}
	exact := true
	for _, c := range crowds(parts, which, cells) {
		if len(c.at) == 0 {
			continue
		}
		j := Joined{judge.NewJoint(c.laws(parts, which), c.cells), c}
		exact = exact && j.Exact
		if best.n == 0 || j.Factor.Cmp(best.Factor) > 0 {
			best = j
		}
	}
	best.Exact = exact
	return best
}

// crowds parts combinations by the columns that are not null and by groups, which
// follow the letters of a cell where there are strata. Records without a value are a
// crowd of no column.
func crowds(parts []*plan.Plan, which []int, cells []judge.Cell) (out []crowd) {
	if len(which) == len(parts) && !slices.ContainsFunc(cells, func(c judge.Cell) bool {
		return len(c.Letter) > len(parts) || slices.Min(c.Letter) < 0
	}) {
		all := crowd{at: which, groups: make([]int32, len(which)), cells: cells}
		for _, c := range cells {
			all.n += c.Count
		}
		return slices.Repeat([]crowd{all}, min(1, len(cells)))
	}
	place := map[string]int{}
	var key []byte
	for _, c := range cells {
		own, of := judge.Cell{Count: c.Count}, crowd{groups: make([]int32, len(which))}
		key = key[:0]
		for k, i := range which {
			if len(c.Letter) > len(parts) {
				of.groups[k] = c.Letter[len(parts)+i]
			}
			if key = binary.LittleEndian.AppendUint32(key, uint32(of.groups[k])<<1); c.Letter[i] >= 0 {
				key[len(key)-4] |= 1
				of.at, own.Letter = append(of.at, i), append(own.Letter, c.Letter[i])
			}
		}
		at, known := place[string(key)]
		if !known {
			at = len(out)
			place[string(key)], out = at, append(out, of)
		}
		out[at].cells, out[at].n = append(out[at].cells, own), out[at].n+c.Count
	}
	for i := range out {
		out[i].cells = gather(out[i].cells)
	}
	slices.SortStableFunc(out, func(a, b crowd) int {
		return cmp.Or(slices.Compare(a.groups, b.groups), cmp.Compare(bitsOf(a.at), bitsOf(b.at)))
	})
	return out
}

// bitsOf are the parts of a list, one bit each.
func bitsOf(at []int) (set uint64) {
	for _, i := range at {
		set |= 1 << i
	}
	return set
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
func Tell(parts []*plan.Plan, cells []judge.Cell, all Joined, target *mechanism.Epsilon) *report.Joint {
	out := &report.Joint{Factor: all.Factor.RatString(), Nats: mechanism.Nats(all.Factor), Exact: all.Exact,
		Rule:         wholeRule,
		Combinations: int64(len(cells)), Columns: []report.JointColumn{}}
	if !all.Exact {
		out.Rule = cellRule
	}
	if target != nil {
		out.Target, out.Most = target.String(), min(target.FactorUp(), math.MaxFloat64)
	}
	for _, c := range cells {
		out.Records += c.Count
		if out.Smallest == 0 || c.Count < out.Smallest {
			out.Smallest = c.Count
		}
	}
	for _, p := range parts {
		alone := mechanism.Nats(p.Factor())
		out.Added += alone
		out.Columns = append(out.Columns, report.JointColumn{Column: p.Column, Target: p.Target,
			Factor: p.Factor().RatString(), Nats: alone})
	}
	out.Worst = insight(parts, all)
	apart := crowds(parts, every(parts), cells)
	if slices.ContainsFunc(apart, func(c crowd) bool { return len(c.at) < len(parts) }) {
		out.Shown = shown(parts, apart, func(a, b *crowd) bool { return slices.Equal(a.groups, b.groups) })
	}
	for _, p := range parts {
		if out.Given = cmp.Or(out.Given, p.Given.Column); out.Given != "" {
			out.Unaware = shown(parts, apart, func(_, _ *crowd) bool { return true })
			out.Unaware.Exact = false
		}
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
	m := all.laws(parts, every(parts))
	for k, i := range all.at {
		p := parts[i]
		if len(p.Groups) > 1 {
			out.Groups = append(out.Groups, int(all.groups[i])+1)
		}
		out.Columns = append(out.Columns, p.Column)
		out.Output = append(out.Output, p.OutputLabels()[all.Output[k]])
	}
	for _, g := range all.Explain(m, all.cells, guessesTold) {
		told := report.JointGuess{Records: g.Count, Before: mechanism.FloatUp(big.NewRat(g.Count, all.n)),
			Factor: g.Factor.RatString(),
			After:  mechanism.FloatUp(new(big.Rat).Mul(g.Factor, big.NewRat(g.Count, all.n)))}
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
	g, of := w.Guesses[0], "a record"
	if w.Groups != nil {
		of = fmt.Sprintf("a record of groups %s of strata", strings.Trim(fmt.Sprint(w.Groups), "[]"))
	}
	return fmt.Sprintf("Most is learned by who sees the outputs %s of %s: that it holds %s was a guess right %.4g "+
		"times in 100 before, and is right %s times in 100 after.",
		labelled(w.Output), of, labelled(g.Guess), 100*g.Before, report.RoundUp(min(100, 100*g.After), 2))
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
	if j.Unaware != nil {
		out = append(out, fmt.Sprintf("That is among the records of one group of %s, for somebody who knows the group. For "+
			"somebody who does not, all cells of a record tell at most %s (%s nats), with or without the group.", j.Given,
			upTo(j.Unaware.Factor), report.RoundUp(j.Unaware.Nats, 4)))
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
	return report.RoundUp(mechanism.FloatUp(f), 4)
}
