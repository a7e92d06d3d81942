package verify

import (
	"context"
	"fmt"
	"maps"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// checkHistory compares the report with what the record history shows: the kernel proves
// what all nights tell.
func (n *nights) checkHistory(ctx context.Context) {
	h, s, of := n.history, n.s, n.history.About()
	file := h.Segment()
	n.history = nil // unless it can be used for more
	var w kernel.Faults
	w.Match(of == ledger.About{Ledger: s.Ledger, Dataset: s.Dataset, Column: n.proven.Column, Population: s.Population,
		Names: s.Names}, "the series, or the key that names records")
	w.Match(h.Night() == s.Night, "the night")
	if r := n.booked; r != nil && r.Realised != nil && r.Realised.History != nil {
		is := r.Realised.History
		w.Match(file.SHA256 == is.SHA256 && file.Records == is.Records && file.Entries == is.Entries,
			"its hash, which the ledger names,")
	}
	if !n.Settle("record history", w, "%d records, %d outputs, up to night %d; as ledger and report name it",
		file.Records, file.Entries, h.Night()) {
		return
	}
	const name = "records of the history"
	if why := n.prepare(ctx, h); why != "" {
		n.Skip(name, why)
		return
	}
	t, k := n.proof.Count(), s.Kept
	switch {
	case t.Astray > 0:
		n.Skip(name, fmt.Sprintf("%d records began under plans that what was given of the ledger does not hold", t.Astray))
		return
	case k == nil || s.Published == nil:
		n.Add(name, false, "the report counts none, or does not say which rows are drawn anew")
		return
	}
	n.history, w = h, nil
	w.Match(*k == report.Kept{Records: file.Records, New: t.New, Vanished: t.Vanished, Visible: t.Visible},
		"a number of records")
	if !s.Again { // else the run need not have looked at the records again
		w.Match(n.proven.Null == "public" || n.release.Claimed.Hidden == t.Hidden, "the number of rows published as a null")
	}
	n.Settle(name, w, "%d known, %d new, %d vanished, %d with a visible change", file.Records, t.New, t.Vanished,
		t.Visible)
	n.checkHeld("rows by draw", &t.Held)
	w = nil
	label, factor := "none", ""
	if t.Factor != nil {
		label, factor = "exact", t.Factor.RatString()
	}
	w.Match(s.Cumulative.Label == label && s.Cumulative.Factor == factor, "the largest factor of a record")
	w.Match(within(s.Budget, t.Factor), "that no record is beyond the total")
	n.Settle("cumulative factor", w, "of %d records without a visible change, from published outputs alone", t.Figures)
}

// checkHeld compares the report with the rows that were counted. Without the key, rows of
// which it is open leave a range.
func (n *nights) checkHeld(name string, h *kernel.Held) {
	var w kernel.Faults
	c := n.shown
	w.Match(c.Rows >= h.Rows && c.Rows <= h.Rows+h.Open, "the number of rows held")
	f, _ := kernel.Fraction(c.Factor)
	w.Match(c.Rows == 0 || h.Tells(f), "what rows held tell")
	if h.Open == 0 {
		w.Match(c.Visible == h.Visible, "the number of rows held of records that changed visibly")
		shows := map[files.Label]int64{}
		for _, o := range c.Outputs {
			shows[files.Label(o.Label)] = o.Rows
		}
		w.Match(maps.Equal(h.Shows, shows), "the rows held by output")
	}
	n.Settle(name, w, "which rows are drawn anew, and what the others tell, from plans and published outputs%s",
		kernel.Either(h.Open == 0, "", "; of some rows only the key tells"))
}
