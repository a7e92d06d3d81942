package verify

import (
	"encoding/json"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkLedger compares the report with the ledger, of which the product's own code tells what
// a report says; false where the ledger cannot be used for more.
func (n *nights) checkLedger() bool {
	s, r, c := n.s, n.booked, n.stated
	n.Add("ledger", true, "its chain holds")
	var w kernel.Faults
	w.Match(n.book.ID == s.Ledger, "the ledger's id")
	head := int64(slices.Index(n.book.Heads, s.Head)) + 1
	switch {
	case head == 0:
		w.Addf("the head that the report names is not in its chain: events were taken off its end, or it was written anew")
	case r != nil && (head < r.ID || !s.Again && r.Sealed > 0 && head >= r.Sealed):
		w.Addf("the head that the report names is not of the time of this release")
	}
	n.Settle("ledger head", w, "the head that the report names is event %d of %d", head, len(n.book.Heads))
	if r == nil {
		return n.Add("ledger release", false, "the ledger has no release %d", s.Release)
	}
	w = nil
	is := &ledger.Realised{}
	if !r.Counts() {
		w.Addf("release %d is voided: it was never published, by the ledger", r.ID)
	} else if r.Realised == nil {
		w.Addf("release %d was reserved and never sealed: nothing of it was published, by the ledger", r.ID)
	} else {
		is = r.Realised
	}
	w.Match(n.proven.Column == r.Column && n.proven.Hash == r.PlanSHA256 && n.proven.Design == r.DesignSHA256 &&
		c.Draws.KeyID == r.KeyID, "column, plan, design or key")
	w.Match(c.Input.SHA256 == r.InputSHA256 && c.Output.SHA256 == is.OutputSHA256 && n.out.rows() == is.Rows,
		"input or output")
	w.Match(r.Factor == n.proven.Epsilon.Factor && is.Factor == r.Factor, "the factor of this release")
	w.Match(is.Held == n.shown.Rows || s.Kept == nil, "the number of rows held")
	told := releases.SeriesOf(n.book.ID, r, is)
	told.Head, told.Again, told.Names, told.Published, told.Limits = s.Head, s.Again, s.Names, s.Published, s.Limits
	told.Earlier = s.Earlier
	stated, _ := json.Marshal(s)
	want, _ := json.Marshal(told)
	for _, name := range differences(stated, want) {
		w.Match(false, name)
	}
	n.Settle("ledger release", w, "release %d, night %d, %s: what was reached is as the report has it",
		r.ID, r.Night, r.State)
	n.checkEarlier()
	return true
}

// checkEarlier compares the list of releases before; a void that came after the report takes
// none off it. A release without record ids is the only one of its series.
func (n *nights) checkEarlier() {
	const name = "cumulative factor"
	var w, alone kernel.Faults
	r, listed, told := n.booked, map[int64]bool{}, []report.Earlier(nil)
	for _, e := range n.s.Earlier {
		listed[e.Release] = true
	}
	for _, o := range n.book.Of(r.Series) {
		if o.ID == r.ID {
			continue
		}
		before := o.ID < r.ID && o.Counts()
		if o.Realised != nil && (listed[o.ID] || before && o.Sealed > 0 && o.Sealed < r.ID) {
			told = append(told, releases.EarlierOf(&o))
		}
		if before {
			alone.Addf("earlier releases drew the same records anew, which only the version that made them adds up")
		}
	}
	w.Match(slices.Equal(told, n.s.Earlier), "the list of releases before")
	n.Settle("releases before", w, "%d, as the ledger has them", len(n.s.Earlier))
	switch {
	case r.KeyID != "":
	case alone != nil:
		n.Skip(name, alone[0])
	default:
		reached := n.s.Cumulative
		alone.Match(reached.Label == "exact" && reached.Factor == r.Factor, "what one release tells")
		n.Settle(name, alone, "the factor of this release, which is the first and only one without record ids")
	}
}
