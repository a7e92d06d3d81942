package releases

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A census is what the record history says of tonight.
type census struct {
	rows, fresh, vanished, visible int64
	limited                        int64
	hidden                         int64 // nulls that are no output
	out                            []int64
	least, most                    int64 // bounds on the outputs that are others than the last ones
	twice, astray, over            int64
	classes                        classes
	reached, worst                 Peak
	low, high                      map[int]int64 // records by thousandths of nats, where floats leave both open
	figures                        int64
}

// checkHistory recomputes from the record history what the report says of it.
func (n *nights) checkHistory() {
	const name = "record history"
	h := n.history
	var w document.Faults
	n.Expect(&w, document.Figures{"history.series.ledger": h.Ledger, "history.series.dataset": h.Dataset,
		"column": h.Column, "history.series.population?": h.Population, "history.series.names_key_id?": h.Names,
		"history.series.night": h.Night})
	if r := n.release; r != nil && r.Sealed != nil && r.Sealed.History != nil {
		s := r.Sealed.History
		w.Match(h.SHA256 == s.SHA256 && h.Records == s.Records && h.Entries == s.Entries, "its hash, which the ledger names,")
	}
	if !n.Settle(name, w, "%d records, %d outputs, up to night %d; as ledger and report name it", h.Records, h.Entries,
		h.Night) {
		n.history = nil
		return
	}
	if why, ok := n.prepare(); !ok {
		n.Skip("records of the history", why)
		n.history = nil
		return
	}
	t := &census{classes: classes{}, out: make([]int64, len(n.Plan.Outputs)), low: map[int]int64{}, high: map[int]int64{}}
	n.countRecords(t)
	n.judgeCensus(t)
}

// countRecords goes through all records.
func (n *nights) countRecords(t *census) {
	before := 0
	for _, r := range n.claims.Earlier {
		if r.Night < n.claims.Night {
			before = max(before, r.Night)
		}
	}
	if s := n.walk(nil, -1); s != nil {
		s.Decide(n.channel).Worst(&t.worst)
	}
	n.history.Each(func(_ Name, list []Entry) error {
		n.record(t, list, before)
		return nil
	})
}

// record counts one record.
func (n *nights) record(t *census, list []Entry, before int) {
	tonight := n.claims.Night
	past := list
	at, last := -1, 0
	for i, e := range list {
		if int(e.First) == tonight && len(past) == len(list) {
			past = list[:i]
		}
		if int(e.Last) == tonight {
			if at >= 0 {
				t.twice++
			}
			at = i
		} else {
			last = max(last, int(e.Last))
		}
	}
	switch {
	case len(past) == 0:
		t.fresh++
	case at < 0 && last == before:
		t.vanished++
	}
	v, ok := n.judge(past)
	after := n.walk(list, -1)
	if !ok || after == nil {
		t.astray++
		return
	}
	if values, _ := n.presence(list); values {
		n.sum(t, after)
	}
	if len(past) > 0 {
		t.worst.State(v.state)
		if !n.hold && !v.repeats && !has(past, n.channel) {
			v.state.Decide(n.channel).Worst(&t.worst)
		}
	}
	if at < 0 {
		return
	}
	t.rows++
	e := list[at]
	s := n.of(e)
	absent := n.absent(e)
	if absent && n.Plan.Null != "public" && !v.repeats || int(e.Channel) != v.channel || !absent && !n.may(&v, s) ||
		v.repeats && s != v.symbol {
		t.over++
	}
	if !absent || v.repeats {
		n.classify(t.classes, &v, s, None, false)
	}
	if v.limited && !absent {
		t.limited++
	}
	if y, is := n.world.Output(n.channel, s); is {
		t.out[y]++
	} else {
		t.hidden++
	}
	n.changes(t, list, at, before)
}

// changes bounds the outputs that are others than those published last. When
// a record showed an output of before again, the history has forgotten when it
// showed that last.
func (n *nights) changes(t *census, list []Entry, at, before int) {
	s, latest := n.of(list[at]), -1
	for i, e := range list {
		if i != at && (latest < 0 || e.Last >= list[latest].Last) {
			latest = i
		}
	}
	switch {
	case latest < 0 || n.of(list[latest]) == s && int(list[at].First) < n.claims.Night:
	case int(list[at].First) < n.claims.Night && int(list[latest].Last) < before:
		t.most++ // it may have been this one or the other
	case n.of(list[latest]) != s:
		t.least++
		t.most++
	case has(list[:at], int(list[at].Channel)):
		t.most++ // an output between the two may have been dropped
	}
}

// sum counts the figure of a record.
func (n *nights) sum(t *census, s *State) {
	if s.Visible {
		t.visible++
		return
	}
	t.figures++
	t.reached.State(s)
	f, slack := s.Factor, s.Slack
	if !(slack < 1e-9) {
		f, _ = s.Exact().Float64()
		slack = 1e-15
	}
	nats := math.Log(f)*1000 - 1e-6
	t.low[int(math.Ceil(nats-1000*slack-1e-8))]++
	t.high[int(math.Ceil(nats+1000*slack+1e-8))]++
}

// judgeCensus compares the report with what the record history says.
func (n *nights) judgeCensus(t *census) {
	c := n.claims
	if t.astray > 0 {
		n.Skip("records of the history",
			fmt.Sprintf("%d records began under plans that what was given of the ledger does not hold", t.astray))
		n.history = nil
		return
	}
	k := c.Kept
	if k == nil {
		n.Add("records of the history", false, "the report counts none")
		return
	}
	var w document.Faults
	document.Some(&w, "history.series.records", n.Report.At("history.series.records"), document.Figures{
		"known": n.history.Records, "new": t.fresh, "vanished": t.vanished, "visible": t.visible})
	told := !c.Again || len(k.Spread) > 0 // else the run did not look at the records again
	if told {
		w.Match(k.Changed >= t.least && k.Changed <= t.most, "the number of outputs that changed")
		w.Match(n.Plan.Null == "public" || k.Suppressed == t.hidden, "the number of rows published as a null")
	}
	n.Settle("records of the history", w, "%d known, %d new, %d vanished, %d with a visible change", n.history.Records,
		t.fresh, t.vanished, t.visible)

	w = nil
	if n.Pairs != nil {
		for y, count := range t.out {
			if null := n.Plan.Outputs[y].Null; !null && count != n.Pairs.Out[y] || null && n.Plan.Null != "public" &&
				count != n.Pairs.Out[y] {
				w.Addf("output %d was written %d times, and stands %d times in the record history", y+1, n.Pairs.Out[y], count)
			}
		}
		w.Match(t.rows == n.Pairs.Rows, "the number of rows of this release")
		w.Match(n.Plan.Null != "public" || n.NullOutput() || t.hidden == n.Pairs.OutNulls, "the number of nulls of this "+
			"release")
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
	n.Settle("budget rule", w, "%s; %d rows limited", document.Either(n.rule,
		"replayed for every record, with its admissible set and what stands for the others",
		"there is no total; every record shows a draw, or what it showed before"), t.limited)
	n.judgeClasses("rows by draw", t.classes, false)
	n.judgeReached(t)
	n.judgeWorst(t)
	n.View.Replays = true
}

// judgeReached compares the figures of the records.
func (n *nights) judgeReached(t *census) {
	c, k := n.claims, n.claims.Kept
	var w document.Faults
	most, all := t.reached.Exact()
	if most == nil {
		w.Match(c.Cumulative.Label == "none", "the figure that was reached")
	} else {
		w.Match(c.Cumulative.Label == "exact" && c.Cumulative.Factor == most.RatString(), "the largest factor of a record")
		if total, ok := exact.ParseTarget(c.Budget); n.rule && (!ok || !total.Admits(most)) {
			w.Addf("a record is beyond the total")
		}
	}
	w.Match(c.Again || t.figures == 0 || len(k.Spread) > 0, "how the figures are spread over the records")
	for _, q := range k.Spread {
		low, high := atMost(t.low, t.figures, q.Share), atMost(t.high, t.figures, q.Share)
		w.Match(q.Nats >= low-1e-9 && q.Nats <= high+1e-9, "how the figures are spread over the records")
	}
	n.Settle("cumulative factor", w, "of %d records without a visible change, from published outputs alone: at most %s%s",
		t.figures, ratText(most), rest(all))
}

// judgeWorst compares what was reserved.
func (n *nights) judgeWorst(t *census) {
	worst, all := t.worst.Exact()
	var w document.Faults
	w.Match(worst != nil && n.claims.Reserved.Factor == worst.RatString() && n.claims.Reserved.Label == "exact",
		"the largest factor that a record could reach")
	if total, ok := exact.ParseTarget(n.claims.Budget); n.rule && worst != nil && (!ok || !total.Admits(worst)) {
		w.Addf("a record could reach more than the total")
	}
	n.Settle("reserved worst case", w, "over every record of the nights before and a new one, whatever is drawn: %s%s",
		ratText(worst), rest(all))
}

func rest(all bool) string {
	return document.Either(all, "", "; of factors that floats cannot tell apart 2000 were compared as fractions")
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
