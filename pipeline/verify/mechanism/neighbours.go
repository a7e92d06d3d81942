package mechanism

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// verdicts are those on what is published beside the column.
var verdicts = []string{"clear", "not judged", "warn", "refuse"}

// CheckNeighbours holds what is said of the columns published in clear to the
// columns that there are, and to itself: the largest is that of the list. The
// figures themselves are not recomputed.
func CheckNeighbours(v *document.View) {
	const name = "neighbours as stated"
	b := &v.Report.Conditional
	clear := v.Report.Fate("published in clear")
	var w document.Faults
	all := slices.Concat(b.Columns, b.Pairs)
	for _, t := range []*document.ToldClaim{b.Together, b.Place} {
		if t != nil {
			all = append(all, *t)
		}
	}
	switch b.State {
	case "measured":
		w.Match(b.Records > 0 && b.Records <= b.Of && b.Of == v.Report.Input.Rows || v.Report.Input.Rows == 0,
			"the number of rows judged, or of the file,")
	case "off":
		w.Match(len(all) == 0 && b.Largest == nil && len(b.Found) == 0, "that nothing was judged")
	default:
		empty := v.Empty() || v.Report.Records == 0
		w.Match(b.State == "nothing is published beside it" && (len(clear) == 0 || empty),
			"whether anything is published beside the column")
	}
	var listed []string
	for _, t := range b.Columns {
		listed = append(listed, t.Names...)
	}
	w.Match(b.State != "measured" || slices.Equal(slices.Sorted(slices.Values(listed)),
		slices.Sorted(slices.Values(clear))),
		"the list of columns published in clear")
	for _, t := range all {
		checkTold(v, &w, t, b.Records)
	}
	for _, t := range b.Pairs {
		w.Match(!slices.ContainsFunc(t.Names, func(c string) bool { return !slices.Contains(clear, c) }),
			"the columns of a pair")
	}
	if l := b.Largest; l != nil {
		w.Match(largestOf(b.Columns, b.Pairs, l),
			"the largest that a column published in clear tells, which the list has otherwise,")
	}
	v.Settle(name, w, "%d columns, %d pairs; their figures agree with each other and are not recomputed",
		len(b.Columns), len(b.Pairs))
}

// largestOf reports whether no lift of the lists is above the one that is named
// as the largest, and some is it.
func largestOf(columns, pairs []document.ToldClaim, l *document.LiftClaim) bool {
	found := false
	for _, t := range slices.Concat(columns, pairs) {
		if t.Lift == nil {
			continue
		}
		if t.Lift.Factor > l.Factor {
			return false
		}
		found = found || t.Lift.Factor == l.Factor && slices.Equal(t.Lift.Names, l.Names) && t.Lift.Guess == l.Guess &&
			t.Lift.Chance == l.Chance
	}
	return found
}

// checkTold holds one entry to the letters, and its shares to what a share may be.
func checkTold(v *document.View, w *document.Faults, t document.ToldClaim, rows int64) {
	w.Match(slices.Contains(verdicts, t.Verdict) && t.Judged == (t.Verdict != "not judged"), "a verdict on a neighbour")
	w.Match(t.Held >= 0 && t.Held <= rows && t.InSample.Small >= 0 && t.InSample.Small <= rows,
		"the rows by which a neighbour was judged")
	shares := []float64{t.Gain, t.GainMost, t.InSample.Guess, t.InSample.GuessNone, t.InSample.GuessBoth,
		t.InSample.Certain, t.InSample.Sure}
	var guesses, outputs []files.Label
	if l := t.Lift; l != nil {
		shares, guesses = append(shares, l.Chance), append(guesses, l.Guess)
		w.Match(l.Factor >= 1, "what a neighbour makes likelier")
	}
	if b := t.Breach; b != nil {
		shares, guesses = append(shares, b.Chance, b.Allowed, b.Recall), append(guesses, b.Guess)
		w.Match(b.Chance > b.Allowed, "what a neighbour makes likelier than epsilon allows")
	}
	for _, s := range []*document.SeerClaim{t.InSample.Worst, t.InSample.Within} {
		if s != nil {
			shares, guesses, outputs = append(shares, s.Before, s.After), append(guesses, s.Guess), append(outputs, s.Output)
			w.Match(math.Abs(s.After-s.Before*s.Factor) <= 1e-9*max(s.After, 1), "what an output adds to a neighbour")
		}
	}
	for _, s := range shares {
		w.Match(s >= 0 && s <= 1+1e-12, "a share of a neighbour")
	}
	for _, g := range guesses {
		w.Match(slices.Contains(v.Plan.Inputs, g), "the letter that a neighbour gives away")
	}
	for _, o := range outputs {
		w.Match(slices.Contains(v.Plan.Outputs, o), "the output beside a neighbour")
	}
	w.Match(t.Gain <= t.GainMost || !t.Judged, "what a neighbour gains")
}
