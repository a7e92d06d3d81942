package verify

import "github.com/tacet-privacy/tacet/pipeline/verify/book"

// checkLedger compares the report with the ledger's rows; false where the
// ledger cannot be used for more.
func (n *nights) checkLedger() bool {
	c, b := n.claims, n.book
	if !n.add("ledger", b.Broken == "", "%s", either(b.Broken == "", "its chain holds", "its chain is broken at "+b.Broken)) {
		return false
	}
	r := n.release
	var w wrong
	w.match(b.ID == c.Ledger, "the ledger's id")
	head := int64(0)
	for i, h := range b.Hash {
		if h == c.Head {
			head = int64(i) + 1
		}
	}
	switch {
	case head == 0:
		w.addf("the head that the report names is not in its chain: events were taken off its end, or it was written anew")
	case r == nil:
	case head < r.ID || !c.Again && r.SealedAt > 0 && head >= r.SealedAt:
		w.addf("the head that the report names is not of the time of this release")
	}
	n.settle("ledger head", w, "the head that the report names is event %d of %d", head, len(b.Hash))
	if r == nil {
		n.add("ledger release", false, "the ledger has no release %d", c.Release)
		return false
	}
	n.compareRelease(r)
	n.compareFigures(r)
	n.compareEarlier(r)
	return true
}

// compareRelease compares what was going to be released.
func (n *nights) compareRelease(r *book.Release) {
	c, p := n.claims, n.report
	var w wrong
	if !r.Counts() {
		w.addf("release %d is voided: it was never published, by the ledger", r.ID)
	} else if r.Sealed == nil {
		w.addf("release %d was reserved and never sealed: nothing of it was published, by the ledger", r.ID)
	}
	w.match(r.Dataset == c.Dataset && r.Column == p.Column && r.Population == c.Population, "the dataset, column or population")
	w.match(r.Night == c.Night, "the number of the night")
	w.match(r.Plan == n.plan.Plan && r.Design == n.plan.Design, "the plan or design")
	w.match(r.Key == p.Randomness.KeyID, "the key")
	w.match(p.Input.SHA256 == r.Input, "the hash of the input")
	w.match(r.Factor == n.plan.Epsilon.Factor, "the factor of this release")
	w.match(r.Budget == c.Budget && r.OnChange == c.OnChange && r.OverBudget == c.OverBudget, "the total, or what happens to records that change or pass it,")
	if s := r.Sealed; s != nil {
		w.match(s.Output == p.Output.SHA256 && s.Rows == p.Output.Rows, "the hash or the rows of the output")
		w.match(s.Factor == n.plan.Epsilon.Factor, "the factor of this release")
	}
	n.settle("ledger release", w, "release %d, night %d, %s: plan, key, input, output and epsilon are those of the report", r.ID, r.Night, r.State)
}

// compareFigures compares what the release came to.
func (n *nights) compareFigures(r *book.Release) {
	c, s := n.claims, r.Sealed
	var w wrong
	w.match(figureSays(c.Reserved, r.Claim), "the worst case that was reserved")
	if s != nil {
		w.match(figureSays(c.Cumulative, s.Cumulative), "the figure that was reached")
		if k := c.Kept; k != nil {
			w.match(k.Held == s.Held && k.Limited == s.Limited, "the number of rows held")
			w.match(k.New == s.New && k.Vanished == s.Vanished, "the number of records that are new or vanished")
			w.match(k.Visible == s.Changed, "the number of records with a visible change")
			w.match(s.History == nil || k.Records == s.History.Records, "the number of records known")
		}
		worst, ok := fraction(r.Claim.Factor)
		reached, ok2 := fraction(s.Cumulative.Factor)
		if ok && ok2 && reached.Cmp(worst) > 0 {
			w.addf("more was reached than was reserved")
		}
	}
	if t, ok := parseTarget(r.Budget); r.Budget != "" && r.Claim.Label != "none" {
		if worst, is := fraction(r.Claim.Factor); !ok || !is || !t.admits(worst) {
			w.addf("more was reserved than the total admits")
		}
	}
	n.settle("ledger figures", w, "what was reserved and reached, and the records counted, are those of the report")
}

func figureSays(c figureClaim, f book.Figure) bool {
	return c.Factor == f.Factor && c.Label == f.Label && c.Rule == f.Rule
}

// compareEarlier compares the list of releases before. A void that came after
// the report takes none off it.
func (n *nights) compareEarlier(r *book.Release) {
	var w wrong
	listed := map[int64]bool{}
	for _, e := range n.claims.Earlier {
		o := n.book.Release(e.Release)
		if o == nil || o.Series != r.Series || o.Sealed == nil {
			w.addf("release %d before is not in the ledger", e.Release)
			continue
		}
		listed[e.Release] = true
		w.match(o.Night == e.Night && o.When == e.When && o.Design == e.Design && o.Key == e.Key && o.Sealed.Rows == e.Rows && o.Factor == e.Factor && figureSays(e.Cumulative, o.Sealed.Cumulative), "what the report says of a release before")
	}
	for _, o := range n.book.Releases {
		if o.Series == r.Series && o.ID < r.ID && o.Counts() && o.Sealed != nil && o.SealedAt < r.ID && !listed[o.ID] {
			w.addf("release %d before is left out", o.ID)
		}
	}
	n.settle("releases before", w, "%d, as the ledger has them", len(n.claims.Earlier))
	n.checkFresh(r)
}
