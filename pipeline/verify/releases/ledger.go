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
	var w document.Faults
	if !r.Counts() {
		w.Addf("release %d is voided: it was never published, by the ledger", r.ID)
	} else if r.Sealed == nil {
		w.Addf("release %d was reserved and never sealed: nothing of it was published, by the ledger", r.ID)
	}
	want := document.Figures{"history.series.dataset": r.Dataset, "column": r.Column,
		"history.series.population?": r.Population, "history.series.night": r.Night, "plan.plan_sha256": r.Plan,
		"plan.design_sha256": r.Design, "randomness.key_id?": r.Key, "input.sha256": r.Input,
		"history.series.total_epsilon?": r.Budget, "history.series.on_change?": r.OnChange}
	w.Match(r.Factor == n.PlanFactor(), "the factor of this release")
	if s := r.Sealed; s != nil {
		want["output.sha256"], want["output.rows"] = s.Output, s.Rows
		w.Match(s.Factor == n.PlanFactor(), "the factor of this release")
	}
	n.Expect(&w, want)
	n.Settle("ledger release", w, "release %d, night %d, %s: plan, key, input, output and epsilon are those of the report",
		r.ID, r.Night, r.State)
}

// compareFigures compares what the release came to.
func (n *nights) compareFigures(r *Release) {
	s := r.Sealed
	var w document.Faults
	want := document.Figures{"history.series.reserved": figureOf(r.Claim)}
	if s != nil {
		want["history.series.cumulative"] = figureOf(s.Cumulative)
		if n.claims.Kept != nil {
			kept := document.Figures{"new": s.New, "vanished": s.Vanished, "visible": s.Changed}
			w.Match(s.Held == n.Report.Earlier(), "the number of rows held")
			if s.History != nil {
				kept["known"] = s.History.Records
			}
			document.Some(&w, "history.series.records", n.Report.At("history.series.records"), kept)
		}
		worst, ok := exact.Fraction(r.Claim.Factor)
		reached, ok2 := exact.Fraction(s.Cumulative.Factor)
		if ok && ok2 && reached.Cmp(worst) > 0 {
			w.Addf("more was reached than was reserved")
		}
	}
	n.Expect(&w, want)
	if t, ok := exact.ParseTarget(r.Budget); r.Budget != "" && r.Claim.Label != "none" {
		if worst, is := exact.Fraction(r.Claim.Factor); !ok || !is || !t.Admits(worst) {
			w.Addf("more was reserved than the total admits")
		}
	}
	n.Settle("ledger figures", w, "what was reserved and reached, and the records counted, are those of the report")
}

func figureOf(f Figure) document.Figures {
	return document.Figures{"factor?": f.Factor, "label": f.Label, "rule?": f.Rule, "nats": document.Stated{}}
}

// compareEarlier compares the list of releases before. A void that came after
// the report takes none off it.
func (n *nights) compareEarlier(r *Release) {
	var w document.Faults
	listed := map[int64]bool{}
	var want []document.Figures
	for _, e := range n.claims.Earlier {
		o := n.book.Release(e.Release)
		if o == nil || o.Series != r.Series || o.Sealed == nil {
			w.Addf("release %d before is not in the ledger", e.Release)
			continue
		}
		listed[e.Release] = true
		want = append(want, document.Figures{"release": o.ID, "night": o.Night, "when": o.When, "design_sha256": o.Design,
			"key_id?": o.Key, "rows": o.Sealed.Rows, "factor": o.Factor, "cumulative": figureOf(o.Sealed.Cumulative)})
	}
	n.Expect(&w, document.Figures{"history.series.earlier?": want})
	for _, o := range n.book.Releases {
		if o.Series == r.Series && o.ID < r.ID && o.Counts() && o.Sealed != nil && o.SealedAt < r.ID && !listed[o.ID] {
			w.Addf("release %d before is left out", o.ID)
		}
	}
	n.Settle("releases before", w, "%d, as the ledger has them", len(n.claims.Earlier))
	n.compareFresh(r)
}

// compareFresh holds what a release without record ids reserved to its own factor: it is the
// only one of its series.
func (n *nights) compareFresh(r *Release) {
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
	var w document.Faults
	w.Match(r.Claim.Label == "exact" && r.Claim.Factor == r.Factor, "what one release tells")
	n.Settle(name, w, "the factor of this release, which is the first and only one without record ids")
}
