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

// A Joined is what all parts tell together. Where nulls stay, they show which cells of a
// record are null, and it is relative to the records that have theirs in the same columns;
// with strata, to those of the same groups. The largest of these is told.
type Joined struct {
	judge.Joint
	Patterns []Pattern // of the nulls that stay
	parts    []*plan.Plan
	cells    []judge.Cell
	crowds   []crowd
	worst    *crowd // of which the most is told; nil where no record has a value
}

// A crowd is the records that are null in the same parts, and in the same groups of
// their plans.
type crowd struct {
	at     []int        // the parts that are not null there
	groups []int32      // of every part
	cells  []judge.Cell // of the records there, their letters in these parts
	n      int64        // records there
	joint  judge.Joint
}

// laws draw the parts of a crowd.
func (j *Joined) laws(c *crowd) (m []*mechanism.Mechanism) {
	for _, i := range c.at {
		m = append(m, j.parts[i].Groups[c.groups[i]].Mechanism)
	}
	return m
}

// Join computes what parts tell together, from the combinations of letters of all parts of
// a release.
func Join(parts []*plan.Plan, cells []judge.Cell) *Joined {
	nothing := judge.Joint{Factor: big.NewRat(1, 1), Exact: true}
	j := &Joined{Joint: nothing, Patterns: patterns(parts, cells), parts: parts, cells: cells,
		crowds: crowds(len(parts), cells)}
	exact := true
	for i := range j.crowds {
		c := &j.crowds[i]
		if c.joint = nothing; len(c.at) == 0 {
			continue
		}
		c.joint = judge.NewJoint(j.laws(c), c.cells)
		exact = exact && c.joint.Exact
		if j.worst == nil || c.joint.Factor.Cmp(j.Factor) > 0 {
			j.Joint, j.worst = c.joint, c
		}
	}
	j.Exact = exact
	return j
}

// crowds parts combinations by the columns that are not null and by groups, which
// follow the letters of a cell where there are strata. Records without a value are a
// crowd of no column.
func crowds(parts int, cells []judge.Cell) (out []crowd) {
	place := map[string]int{}
	var key []byte
	for _, c := range cells {
		own, groups := judge.Cell{Letter: c.Letter[:parts], Count: c.Count}, make([]int32, parts)
		copy(groups, c.Letter[parts:])
		var at []int
		key = key[:0]
		for i, x := range own.Letter {
			key = binary.LittleEndian.AppendUint32(key, uint32(groups[i])<<1)
			if x >= 0 {
				key[len(key)-4] |= 1
				at = append(at, i)
			}
		}
		if len(at) < parts {
			own.Letter = slices.DeleteFunc(slices.Clone(own.Letter), func(x int32) bool { return x < 0 })
		}
		k, known := place[string(key)]
		if !known {
			k = len(out)
			place[string(key)], out = k, append(out, crowd{at: at, groups: groups})
		}
		out[k].cells, out[k].n = append(out[k].cells, own), out[k].n+c.Count
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
func (j *Joined) Tell(target *mechanism.Epsilon) *report.Joint {
	out := &report.Joint{Factor: j.Factor.RatString(), Nats: mechanism.Nats(j.Factor), Exact: j.Exact,
		Rule:         wholeRule,
		Combinations: int64(len(j.cells)), Columns: []report.JointColumn{}}
	if !j.Exact {
		out.Rule = cellRule
	}
	if target != nil {
		out.Target, out.Most = target.String(), min(target.FactorUp(), math.MaxFloat64)
	}
	for _, c := range j.cells {
		out.Records += c.Count
		if out.Smallest == 0 || c.Count < out.Smallest {
			out.Smallest = c.Count
		}
	}
	for _, p := range j.parts {
		alone := mechanism.Nats(p.Factor())
		out.Added += alone
		out.Given = cmp.Or(out.Given, p.Given.Column)
		out.Columns = append(out.Columns, report.JointColumn{Column: p.Column, Target: p.Target,
			Factor: p.Factor().RatString(), Nats: alone})
	}
	out.Worst = j.insight()
	if slices.ContainsFunc(j.crowds, func(c crowd) bool { return len(c.at) < len(j.parts) }) {
		out.Shown = j.shown(func(a, b *crowd) bool { return slices.Equal(a.groups, b.groups) })
	}
	if out.Given != "" {
		out.Unaware = j.shown(func(_, _ *crowd) bool { return true })
		out.Unaware.Exact = false
	}
	out.Words = jointWords(out)
	tellPatterns(out, j.Patterns)
	return out
}

// insight says whom the outputs that tell most help, and how much.
func (j *Joined) insight() *report.JointInsight {
	if j.Output == nil {
		return nil
	}
	out, n := &report.JointInsight{}, j.worst.n
	for k, i := range j.worst.at {
		p := j.parts[i]
		if len(p.Groups) > 1 {
			out.Groups = append(out.Groups, int(j.worst.groups[i])+1)
		}
		out.Columns = append(out.Columns, p.Column)
		out.Output = append(out.Output, p.OutputLabels()[j.Output[k]])
	}
	for _, g := range j.Explain(j.laws(j.worst), j.worst.cells, guessesTold) {
		told := report.JointGuess{Records: g.Count, Before: mechanism.FloatUp(big.NewRat(g.Count, n)),
			Factor: g.Factor.RatString(),
			After:  mechanism.FloatUp(new(big.Rat).Mul(g.Factor, big.NewRat(g.Count, n)))}
		for k, i := range j.worst.at {
			told.Guess = append(told.Guess, j.parts[i].InputLabels()[g.Letter[k]])
		}
		out.Guesses = append(out.Guesses, told)
	}
	out.Words = insightWords(out)
	return out
}

// shown is what all parts tell together with what tells crowds apart, for whoever does
// not know that before and knows of records that are alike: a crowd is a share of these,
// and what is told there is multiplied by one over it. With g the crowd and n of N records
// in it, P(x | y, g) / P(x) = P(y | x, g) / P(y | g) P(x | g) / P(x), whose last factor is
// at most N / n, and is it where the guess x says which the crowd is; nulls follow from x,
// and groups need not. Whoever sees y alone has a mean of such quotients.
func (j *Joined) shown(alike func(a, b *crowd) bool) *report.JointShown {
	factor, exact := big.NewRat(1, 1), true
	for i := range j.crowds {
		own, n := &j.crowds[i], int64(0)
		for k := range j.crowds {
			if alike(own, &j.crowds[k]) {
				n += j.crowds[k].n
			}
		}
		exact = exact && own.joint.Exact
		if f := new(big.Rat).Mul(own.joint.Factor, big.NewRat(n, own.n)); f.Cmp(factor) > 0 {
			factor = f
		}
	}
	return &report.JointShown{Factor: factor.RatString(), Nats: mechanism.Nats(factor), Exact: exact}
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
