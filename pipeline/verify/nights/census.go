package nights

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// judgeCensus compares the report with what the record history says.
func (n *nights) judgeCensus(t *census) {
	c := n.claims
	if t.astray > 0 {
		n.Skip("records of the history", fmt.Sprintf("%d records began under plans that what was given of the ledger does not hold", t.astray))
		n.history = nil
		return
	}
	k := c.Kept
	if k == nil {
		n.Add("records of the history", false, "the report counts none")
		return
	}
	var w verdict.Faults
	w.Match(k.Records == n.history.Records, "the number of records known")
	w.Match(k.New == t.fresh, "the number of new records")
	w.Match(k.Vanished == t.vanished, "the number of vanished records")
	w.Match(k.Visible == t.visible, "the number of records with a visible change")
	told := !c.Again || len(k.Spread) > 0 // else the run did not look at the records again
	if told {
		w.Match(k.Changed >= t.least && k.Changed <= t.most, "the number of outputs that changed")
		w.Match(k.Suppressed == t.hidden, "the number of rows published as a null")
	}
	n.Settle("records of the history", w, "%d known, %d new, %d vanished, %d with a visible change", n.history.Records, t.fresh, t.vanished, t.visible)

	w = nil
	if n.Pairs != nil {
		for y, count := range t.out {
			if null := n.Plan.Outputs[y].Null; !null && count != n.Pairs.Out[y] || null && n.Plan.Null != "public" && count != n.Pairs.Out[y] {
				w.Addf("output %d was written %d times, and stands %d times in the record history", y+1, n.Pairs.Out[y], count)
			}
		}
		w.Match(t.rows == n.Report.Records, "the number of rows of tonight")
	}
	n.Settle("published outputs", w, "the outputs written are those that the record history has of %d rows", t.rows)

	w = nil
	if t.twice > 0 {
		w.Addf("%d records were published twice in one night", t.twice)
	}
	if t.over > 0 {
		w.Addf("%d records show what total and history did not let be published", t.over)
	}
	w.Match(k.Limited == t.limited, "the number of rows that the total limits")
	w.Match(k.Held >= t.limited, "the number of rows held")
	n.Settle("budget rule", w, "%s; %d rows limited", verdict.Either(n.rule, "replayed for every record, with its admissible set and what stands for the others", "there is no total; every record shows a draw, or what it showed before"), t.limited)
	n.judgeReached(t)
	n.judgeWorst(t)
	n.View.Replays = true
}

// judgeReached compares the figures of the records.
func (n *nights) judgeReached(t *census) {
	c, k := n.claims, n.claims.Kept
	var w verdict.Faults
	most, all := t.reached.Exact()
	if most == nil {
		w.Match(c.Cumulative.Label == "none", "the figure that was reached")
	} else {
		w.Match(c.Cumulative.Label == "exact" && c.Cumulative.Factor == most.RatString(), "the largest factor of a record")
		if total, ok := exact.ParseTarget(c.Budget); n.rule && (!ok || !total.Admits(most)) {
			w.Addf("a record is beyond the total")
		}
	}
	for _, q := range k.Spread {
		low, high := atMost(t.low, t.figures, q.Share), atMost(t.high, t.figures, q.Share)
		w.Match(q.Nats >= low-1e-9 && q.Nats <= high+1e-9, "how the figures are spread over the records")
	}
	n.Settle("cumulative factor", w, "of %d records without a visible change, from published outputs alone: at most %s%s", t.figures, ratText(most), rest(all))
}

// judgeWorst compares what was reserved.
func (n *nights) judgeWorst(t *census) {
	worst, all := t.worst.Exact()
	var w verdict.Faults
	w.Match(worst != nil && n.claims.Reserved.Factor == worst.RatString() && n.claims.Reserved.Label == "exact", "the largest factor that a record could reach")
	if total, ok := exact.ParseTarget(n.claims.Budget); n.rule && worst != nil && (!ok || !total.Admits(worst)) {
		w.Addf("a record could reach more than the total")
	}
	n.Settle("reserved worst case", w, "over every record of the nights before and a new one, whatever is drawn: %s%s", ratText(worst), rest(all))
}

func rest(all bool) string {
	return verdict.Either(all, "", "; of factors that floats cannot tell apart 2000 were compared as fractions")
}

// ratText shows a fraction, long ones in nats.
func ratText(f *big.Rat) string {
	if f == nil {
		return "no record has a figure"
	}
	if s := f.RatString(); len(s) <= 60 {
		return "factor " + s
	}
	return "a factor of many digits"
}

// atMost is the nats that a share of the records does not pass.
func atMost(count map[int]int64, records int64, share float64) float64 {
	left := int64(math.Ceil(share * float64(records)))
	for _, k := range slices.Sorted(maps.Keys(count)) {
		if left -= count[k]; left <= 0 {
			return float64(k) / 1000
		}
	}
	return 0
}
