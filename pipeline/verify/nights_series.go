package verify

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkSeries holds what the report says of the series to itself; ledger and history, which
// are not part of a release, give its figures.
func (n *nights) checkSeries() {
	s := n.s
	var w kernel.Faults
	w.Match(s.Night > 0 && s.Release > 0, "the number of the release")
	w.Match(slices.Equal(s.Limits, releases.LimitsOf(n.stated.Draws.Unit)), "what no figure covers")
	w.Match(within(s.Budget, figure(&w, s.Cumulative)), "that a figure is within the total")
	last := 0
	for _, e := range s.Earlier {
		figure(&w, e.Cumulative)
		w.Match(e.Night > last && e.Night != s.Night, "a release before")
		if last = e.Night; len(e.When) >= len(n.stated.Made) && e.When[:len(n.stated.Made)] > n.stated.Made {
			w.Addf("the report is older than a release before")
		}
	}
	if k := s.Kept; k != nil {
		w.Match(max(k.New, k.Visible, k.Vanished) <= k.Records, "the count of records")
	}
	n.Settle("series", w, "release %d, night %d; figures agree with each other", s.Release, s.Night)
	if s.Published != nil {
		n.checkShown()
	}
}

// figure is the factor of a figure, nil for none.
func figure(w *kernel.Faults, f report.Figure) *big.Rat {
	v, ok := kernel.Fraction(f.Factor)
	if f.Label == "none" {
		w.Match(f.Factor == "" && f.Nats == 0, "a figure of the series")
		return nil
	}
	w.Match((f.Label == "exact" || f.Label == "bound") && ok && kernel.IsNats(f.Nats, v), "a figure of the series")
	return v
}

// within reports whether a total, "" for none, admits a factor, or there is no factor.
func within(total string, f *big.Rat) bool {
	t, ok := kernel.ParseTarget(total)
	return total == "" || f == nil || ok && t.Admits(f)
}

// checkShown holds what the report says of rows that are not drawn anew to itself, to the
// epsilon asked for, and to input and output side by side. Which rows these are takes history
// and key.
func (n *nights) checkShown() {
	s, c := n.s, n.shown
	var w kernel.Faults
	if held := s.Published.Held; held != nil {
		n.shown, c = held, held
		w.Match(c.Rows > 0 && s.Night > 1 && (s.OnChange == "hold" || s.Budget != ""), "that rows show earlier draws")
	}
	w.Match(s.Published.Drawn >= 0 && s.Published.Drawn+c.Rows-c.Absent == n.stated.Records,
		"the number of rows drawn anew")
	w.Match(min(c.Absent, c.Visible, c.Forbidden, int64(c.Rank)) >= 0 &&
		max(c.Absent, c.Visible, c.Forbidden) <= c.Rows && c.Rank <= len(n.proven.Outputs), "a count of rows held")
	known := map[report.Label]bool{report.NullLabel: n.proven.Null == "public"}
	for _, o := range n.stated.Outputs { // whose figures are told again
		known[o.Label] = true
	}
	total, top := int64(0), (*big.Rat)(nil)
	for _, o := range c.Outputs {
		w.Match(o.Rows > 0 && known[o.Label], "a count of rows held")
		known[o.Label], total = false, total+o.Rows
		f, ok := kernel.Fraction(o.Factor)
		w.Match(o.Factor == "" || ok && f.Cmp(big.NewRat(1, 1)) >= 0, "what an output tells of rows held")
		if ok && (top == nil || f.Cmp(top) > 0) {
			top = f
		}
	}
	w.Match(total == c.Rows, "the rows held by output")
	w.Match(top == nil && c.Factor == "" && c.Nats == 0 ||
		top != nil && c.Factor == top.RatString() && kernel.IsNats(c.Nats, top), "the factor of rows held")
	w.Match(within(n.proven.Epsilon.Target, top), "that rows held tell no more than epsilon")
	if n.in != nil && n.Tally != nil && n.Order != nil && n.Groups != nil {
		// What is below the floor of all rows is not drawn anew.
		rank, _, forbidden := n.Worst(n.Tally)
		least, said := cmp.Or(rank, math.MaxInt), cmp.Or(c.Rank, math.MaxInt)
		w.Match(least == said || least >= n.Facts.Rank && said > least, "the worst rank of a row that is not drawn anew")
		w.Match(forbidden == c.Forbidden, "the number of rows that the order forbids")
	}
	n.Settle("earlier draws", w, "%d rows are drawn anew, %d are not; their figures agree with each other, and "+
		"with epsilon", s.Published.Drawn, c.Rows)
}
