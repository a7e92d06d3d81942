package joint

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

func checkJointPairs(v *subject.View, of []*subject.View, j *document.JointClaim, list []combination, name string) {
	var w verdict.Faults
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
			best, bound := togetherOf(of, list, []int{k, i})
			if best == nil && p.Exact {
				unknown++
			}
			w = append(w, judged(f, p.Exact, best, bound)...)
		}
	}
	w.Match(at == len(j.Pairs), "the number of pairs")
	v.Settle(name, w, "%d pairs, %d of them too large to go through", at, unknown)
}

// checkJointWorst recomputes what the outputs that are named make of each
// guess.
func checkJointWorst(v *subject.View, of []*subject.View, j *document.JointClaim, list []combination, claimed *big.Rat, name string) {
	if j.Worst == nil {
		v.Skip(name, "the report does not name it")
		return
	}
	var w verdict.Faults
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

func judgeWorst(v *subject.View, of []*subject.View, g presentGroup, j *document.JointClaim, claimed *big.Rat, w *verdict.Faults) {
	place := func(labels []cells.Label, of []cells.Label, k int) int32 { return int32(slices.Index(of, labels[k])) }
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
		w.Match(guess.Records == held && f.RatString() == guess.Factor && exact.Near(guess.Before, prior, 1) && exact.Near(guess.After, prior*after, 1), "what the outputs make of a guess")
		w.Match(before == nil || f.Cmp(before) <= 0, "the order of the guesses")
		before = f
	}
}
