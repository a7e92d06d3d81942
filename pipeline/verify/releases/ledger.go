package releases

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// checkLedger compares the report with the ledger's rows; false where the
// ledger cannot be used for more.
func (n *nights) checkLedger() bool {
	c, b := n.claims, n.book
	if !n.Add("ledger", b.Broken == "", "%s", document.Either(b.Broken == "", "its chain holds", "its chain is broken at "+
		b.Broken)) {
		return false
	}
	r := n.release
	var w document.Faults
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
	return true
}

// compareRelease compares what was going to be released.
func (n *nights) compareRelease(r *Release) {
	c, p := n.claims, n.Report
	var w document.Faults
	if !r.Counts() {
		w.Addf("release %d is voided: it was never published, by the ledger", r.ID)
	} else if r.Sealed == nil {
		w.Addf("release %d was reserved and never sealed: nothing of it was published, by the ledger", r.ID)
	}
	w.Match(r.Dataset == c.Dataset && r.Column == p.Text("column") && r.Population == c.Population,
		"the dataset, column or population")
	w.Match(r.Night == c.Night, "the number of the night")
	w.Match(r.Plan == n.Plan.Plan && r.Design == n.Plan.Design, "the plan or design")
	w.Match(r.Key == p.Text("randomness.key_id"), "the key")
	w.Match(p.Text("input.sha256") == r.Input, "the hash of the input")
	w.Match(r.Factor == n.PlanFactor(), "the factor of this release")
	w.Match(r.Budget == c.Budget && r.OnChange == c.OnChange && r.OverBudget == c.OverBudget,
		"the total, or what happens to records that change or pass it,")
	if s := r.Sealed; s != nil {
		w.Match(s.Output == p.Text("output.sha256") && s.Rows == p.Int("output.rows"), "the hash or the rows of the output")
		w.Match(s.Factor == n.PlanFactor(), "the factor of this release")
	}
	n.Settle("ledger release", w, "release %d, night %d, %s: plan, key, input, output and epsilon are those of the report",
		r.ID, r.Night, r.State)
}

// compareFigures compares what the release came to.
func (n *nights) compareFigures(r *Release) {
	c, s := n.claims, r.Sealed
	var w document.Faults
	w.Match(figureSays(c.Reserved, r.Claim), "the worst case that was reserved")
	if s != nil {
		w.Match(figureSays(c.Cumulative, s.Cumulative), "the figure that was reached")
		if k := c.Kept; k != nil {
			w.Match(k.Held == s.Held && k.Limited == s.Limited, "the number of rows held")
			w.Match(k.New == s.New && k.Vanished == s.Vanished, "the number of records that are new or vanished")
			w.Match(k.Visible == s.Changed, "the number of records with a visible change")
			w.Match(s.History == nil || k.Records == s.History.Records, "the number of records known")
		}
		worst, ok := exact.Fraction(r.Claim.Factor)
		reached, ok2 := exact.Fraction(s.Cumulative.Factor)
		if ok && ok2 && reached.Cmp(worst) > 0 {
			w.Addf("more was reached than was reserved")
		}
	}
	if t, ok := exact.ParseTarget(r.Budget); r.Budget != "" && r.Claim.Label != "none" {
		if worst, is := exact.Fraction(r.Claim.Factor); !ok || !is || !t.Admits(worst) {
			w.Addf("more was reserved than the total admits")
		}
	}
	n.Settle("ledger figures", w, "what was reserved and reached, and the records counted, are those of the report")
}

func figureSays(c document.FigureClaim, f Figure) bool {
	return c.Factor == f.Factor && c.Label == f.Label && c.Rule == f.Rule
}

// compareEarlier compares the list of releases before. A void that came after
// the report takes none off it.
func (n *nights) compareEarlier(r *Release) {
	var w document.Faults
	listed := map[int64]bool{}
	for _, e := range n.claims.Earlier {
		o := n.book.Release(e.Release)
		if o == nil || o.Series != r.Series || o.Sealed == nil {
			w.Addf("release %d before is not in the ledger", e.Release)
			continue
		}
		listed[e.Release] = true
		w.Match(o.Night == e.Night && o.When == e.When && o.Design == e.Design && o.Key == e.Key && o.Sealed.Rows == e.Rows &&
			o.Factor == e.Factor && figureSays(e.Cumulative, o.Sealed.Cumulative), "what the report says of a release before")
	}
	for _, o := range n.book.Releases {
		if o.Series == r.Series && o.ID < r.ID && o.Counts() && o.Sealed != nil && o.SealedAt < r.ID && !listed[o.ID] {
			w.Addf("release %d before is left out", o.ID)
		}
	}
	n.Settle("releases before", w, "%d, as the ledger has them", len(n.claims.Earlier))
	n.checkFresh(r)
}
