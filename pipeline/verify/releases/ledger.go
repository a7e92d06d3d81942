package releases

import "github.com/tacet-privacy/tacet/pipeline/verify/kernel"

// checkLedger compares the report with the ledger's rows; false where the
// ledger cannot be used for more.
func (n *nights) checkLedger() bool {
	c, b, r := n.claims, n.book, n.booked
	if !n.Add("ledger", b.Broken == "", "%s", either(b.Broken == "", "its chain holds", "its chain is broken at "+b.Broken)) {
		return false
	}
	var w kernel.Faults
	w.Match(b.ID == c.Ledger, "the ledger's id")
	head := int64(0)
	for i, h := range b.Hash {
		if h == c.Head {
			head = int64(i) + 1
		}
	}
	switch {
	case head == 0:
		w.Addf("the head that the report names is not in its chain: events were taken off its end, or it was written anew")
	case r == nil:
	case head < r.ID || !c.Again && r.SealedAt > 0 && head >= r.SealedAt:
		w.Addf("the head that the report names is not of the time of this release")
	}
	n.Settle("ledger head", w, "the head that the report names is event %d of %d", head, len(b.Hash))
	if r == nil {
		n.Add("ledger release", false, "the ledger has no release %d", c.Release)
		return false
	}
	n.compareRelease(r)
	n.compareFigures(r)
	n.compareEarlier(r)
	n.compareFresh(r)
	return true
}

// compareRelease compares what was going to be released.
func (n *nights) compareRelease(r *Booked) {
	var w kernel.Faults
	if !r.Counts() {
		w.Addf("release %d is voided: it was never published, by the ledger", r.ID)
	} else if r.Sealed == nil {
		w.Addf("release %d was reserved and never sealed: nothing of it was published, by the ledger", r.ID)
	}
	c := n.claims
	w.Match(c.Dataset == r.Dataset && n.report.Column == r.Column && c.Population == r.Population && c.Night == r.Night,
		"the series, or the night")
	w.Match(n.Plan.Hash == r.Plan && n.Plan.Design == r.Design && n.report.Draws.KeyID == r.Key, "plan, design or key")
	w.Match(n.report.Input.SHA256 == r.Input, "the input")
	w.Match(c.Budget == r.Budget && c.OnChange == r.OnChange, "the total, or what becomes of changes")
	w.Match(r.Factor == n.Plan.Epsilon.Factor, "the factor of this release")
	if s := r.Sealed; s != nil {
		w.Match(n.report.Output.SHA256 == s.Output && n.Rows == s.Rows && s.Factor == r.Factor, "the output")
	}
	n.Settle("ledger release", w, "release %d, night %d, %s: plan, key, input, output and epsilon are those of the report",
		r.ID, r.Night, r.State)
}

// compareFigures compares what the release came to.
func (n *nights) compareFigures(r *Booked) {
	s, c := r.Sealed, n.claims
	var w kernel.Faults
	w.Match(c.Reserved.Figure == r.Claim, "what was reserved")
	if s != nil {
		w.Match(c.Cumulative.Figure == s.Cumulative, "what was reached")
		if k := c.Kept; k != nil {
			w.Match(s.Held == n.held().Rows && k.New == s.New && k.Vanished == s.Vanished && k.Visible == s.Changed &&
				(s.History == nil || k.Records == s.History.Records), "a number of records")
		}
		if more(s.Cumulative.Factor, r.Claim.Factor) {
			w.Addf("more was reached than was reserved")
		}
	}
	if r.Budget != "" && !within(r.Budget, r.Claim.Factor) {
		w.Addf("more was reserved than the total admits")
	}
	n.Settle("ledger figures", w, "what was reserved and reached, and the records counted, are those of the report")
}

// compareEarlier compares the list of releases before. A void that came after
// the report takes none off it.
func (n *nights) compareEarlier(r *Booked) {
	var w kernel.Faults
	listed := map[int64]bool{}
	for _, e := range n.claims.Earlier {
		o := n.book.Release(e.Release)
		if o == nil || o.Series != r.Series || o.Sealed == nil {
			w.Addf("release %d before is not in the ledger", e.Release)
			continue
		}
		listed[e.Release] = true
		w.Match(e.Night == o.Night && e.When == o.When && e.Design == o.Design && e.Key == o.Key && e.Rows == o.Sealed.Rows &&
			e.Factor == o.Factor && e.Cumulative.Figure == o.Sealed.Cumulative, "a release before")
	}
	for _, o := range n.book.Releases {
		if o.Series == r.Series && o.ID < r.ID && o.Counts() && o.Sealed != nil && o.SealedAt < r.ID && !listed[o.ID] {
			w.Addf("release %d before is left out", o.ID)
		}
	}
	n.Settle("releases before", w, "%d, as the ledger has them", len(n.claims.Earlier))
}

// compareFresh holds what a release without record ids reserved to its own factor: it is the
// only one of its series.
func (n *nights) compareFresh(r *Booked) {
	const name = "reserved worst case"
	if r.Key != "" {
		return
	}
	for _, o := range n.book.Releases {
		if o != r && o.Series == r.Series && o.Counts() && o.ID < r.ID {
			n.Skip(name, "earlier releases drew the same records anew, which only the version that made them adds up")
			return
		}
	}
	var w kernel.Faults
	w.Match(r.Claim.Label == "exact" && r.Claim.Factor == r.Factor, "what one release tells")
	n.Settle(name, w, "the factor of this release, which is the first and only one without record ids")
}
