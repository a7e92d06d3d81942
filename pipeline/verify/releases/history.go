package releases

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A census is what the record history says of tonight.
type census struct {
	rows, fresh, vanished, visible int64
	hidden                         int64 // nulls that are no output
	out                            []int64
	least, most                    int64 // bounds on the outputs that are others than the last ones
	twice, astray, over            int64
	held                           rowsHeld
	reached, worst                 Peak
	low, high                      map[int]int64 // records by thousandths of nats, where floats leave both open
	figures                        int64
}

// rowsHeld counts rows that are not drawn anew. Of some rows only the key tells whether they
// are: these are open.
type rowsHeld struct {
	rows, open, visible int64
	absent              int64    // rows that have no value tonight
	sure, all           told     // without and with the rows that are open
	rank                int      // the worst; 0 for none
	value               *float64 // the worst of what the order does not forbid; nil for none
	forbidden           int64
	shows               map[Symbol]int64 // rows, without those that are open
}

// told is the largest factor of some rows.
type told struct {
	peak  Peak
	alone *big.Rat
}

// checkHistory recomputes from the record history what the report says of it.
func (n *nights) checkHistory() {
	const name = "record history"
	h := n.history
	var w kernel.Faults
	c := n.claims
	w.Match(h.Ledger == c.Ledger && h.Dataset == c.Dataset && h.Column == n.report.Column && h.Population == c.Population,
		"the series")
	w.Match(h.Names == c.Names && h.Night == c.Night, "the night, or the key that names records")
	if r := n.booked; r != nil && r.Sealed != nil && r.Sealed.History != nil {
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
	t := &census{out: make([]int64, len(n.Plan.Outputs)), low: map[int]int64{}, high: map[int]int64{}}
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
		t.worst.Worst(s, n.channel)
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
	v, ok := n.ruling(past)
	after := n.walk(list, -1)
	if !ok || after == nil {
		t.astray++
		return
	}
	if len(values(list)) > 0 {
		n.sum(t, after)
	}
	if len(past) > 0 {
		t.worst.State(v.state)
		if !n.hold && !slices.ContainsFunc(past, in(n.channel)) {
			t.worst.Worst(v.state, n.channel)
		}
	}
	if at < 0 {
		return
	}
	t.rows++
	e := list[at]
	s, absent := n.of(e), e.Output == Null && !(n.hold && v.keeps)
	_, drawn := n.world.Output(n.channel, s)
	if v.wrong || int(e.Channel) != v.channel || absent && n.Plan.Null != "public" ||
		!absent && (v.keeps && s != v.symbol || !v.keeps && !drawn) {
		t.over++
	}
	if !absent {
		n.take(&t.held, &v, None, false)
	}
	if y, is := n.world.Output(n.channel, s); is {
		t.out[y]++
	} else {
		t.hidden++
	}
	n.changes(t, list, at, before)
}

// take counts a row that is not drawn anew: drawn is what key and letter give, None where
// these are not known; absent says that it is known to have no value tonight.
func (n *nights) take(h *rowsHeld, v *ruling, drawn Symbol, absent bool) bool {
	_, is := n.world.Output(n.channel, v.symbol)
	sure := !n.hold || absent || is && v.channel != n.channel || drawn != None && drawn != v.symbol
	if !v.keeps || v.symbol == None || absent && v.told == nil || !sure && drawn != None {
		return false
	}
	if h.all.add(v); !sure {
		h.open++
		return false
	}
	h.sure.add(v)
	if h.shows == nil {
		h.shows = map[Symbol]int64{}
	}
	h.shows[v.symbol]++
	if h.rows++; absent {
		h.absent++
	}
	if v.told != nil && v.told.Factor == 0 {
		h.visible++
	}
	return true
}

func (t *told) add(v *ruling) {
	if v.told != nil {
		t.peak.State(v.told)
	}
	if v.alone != nil && (t.alone == nil || v.alone.Cmp(t.alone) > 0) {
		t.alone = v.alone
	}
}

// factor is nil for none; all is false where floats could not tell.
func (t *told) factor() (f *big.Rat, all bool) {
	f, all = t.peak.Exact()
	if f == nil || t.alone != nil && t.alone.Cmp(f) > 0 {
		f = t.alone
	}
	return f, all
}

// rankOf takes the rank of a row whose letter is known.
func (n *nights) rankOf(h *rowsHeld, x, y int32) {
	if n.Order == nil || y < 0 {
		return
	}
	if n.ranks[x] == nil {
		n.ranks[x] = n.Order.Ranks(int(x))
	}
	if r := n.ranks[x][y]; h.rank == 0 || r < h.rank {
		h.rank = r
	}
	if u := n.Order.Row(int(x))[y]; math.IsInf(u, -1) {
		h.forbidden++
	} else if h.value == nil || u < *h.value {
		h.value = &u
	}
}

// judgeHeld compares the report with the rows that were counted. Without the key, rows
// of which it is open leave a range.
func (n *nights) judgeHeld(name string, h *rowsHeld, letters bool) {
	if n.claims.Published == nil {
		n.Add(name, false, "the report does not say which rows are drawn anew")
		return
	}
	var w kernel.Faults
	c := n.held()
	w.Match(c.Rows >= h.rows && c.Rows <= h.rows+h.open, "the number of rows held")
	low, all := h.sure.factor()
	high, more := h.all.factor()
	stated, ok := kernel.Fraction(c.Factor)
	switch {
	case c.Rows == 0:
	case !ok:
		w.Match(c.Factor == "" && low == nil, "what rows held tell")
	case low != nil && stated.Cmp(low) < 0 && all || high == nil || stated.Cmp(high) > 0 && more:
		w.Addf("rows held tell more, or less, than the report says")
	}
	if h.open == 0 {
		w.Match(c.Visible == h.visible, "the number of rows held of records that changed visibly")
		shows := maps.Clone(h.shows)
		for _, o := range c.Outputs {
			w.Match(h.shows[n.world.Of(o.Label)] == o.Rows, "the rows held by output")
			delete(shows, n.world.Of(o.Label))
		}
		w.Match(len(shows) == 0, "the outputs of rows held")
	}
	if letters && n.Order != nil {
		w.Match(c.Rank == h.rank && c.Forbidden == h.forbidden && c.Absent == h.absent, "the worst rank of rows held")
		w.Match((c.Value == nil) == (h.value == nil) && (c.Value == nil || *c.Value == *h.value), "the worst value of rows held")
	}
	n.Settle(name, w, "which rows are drawn anew, and what the others tell, from plans and published outputs%s",
		either(h.open == 0, "", "; of some rows only the key tells"))
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
	case slices.ContainsFunc(list[:at], in(int(list[at].Channel))):
		t.most++ // an output between the two may have been dropped
	}
}

// sum counts the figure of a record.
func (n *nights) sum(t *census, s *State) {
	if s.Factor == 0 {
		t.visible++
		return
	}
	t.figures++
	t.reached.State(s)
	nats := math.Log(s.Factor)*1000 - 1e-6
	t.low[int(math.Ceil(nats-1000*near))]++
	t.high[int(math.Ceil(nats+1000*near))]++
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
	var w kernel.Faults
	w.Match(k.Records == n.history.Records && k.New == t.fresh && k.Vanished == t.vanished && k.Visible == t.visible,
		"a number of records")
	told := !c.Again || len(k.Spread) > 0 // else the run did not look at the records again
	if told {
		w.Match(k.Changed >= t.least && k.Changed <= t.most, "the number of outputs that changed")
		w.Match(n.Plan.Null == "public" || n.Claimed.Hidden == t.hidden, "the number of rows published as a null")
	}
	n.Settle("records of the history", w, "%d known, %d new, %d vanished, %d with a visible change", n.history.Records,
		t.fresh, t.vanished, t.visible)

	w = nil
	if n.Tally != nil {
		for y, count := range t.out {
			if null := n.Plan.Outputs[y].Null; count != n.Tally.Out[y] && !(null && n.Plan.Null == "public") {
				w.Addf("output %d was written %d times, and stands %d times in the record history", y+1, n.Tally.Out[y], count)
			}
		}
		w.Match(t.rows == n.Tally.Rows, "the number of rows of this release")
		w.Match(n.Plan.Null != "public" || n.Plan.NullOutput() || t.hidden == n.Tally.OutNulls, "the number of nulls of this "+
			"release")
	}
	n.Settle("published outputs", w, "the outputs written are those that the record history has of %d rows", t.rows)

	w = nil
	if t.twice > 0 {
		w.Addf("%d records were published twice in one night", t.twice)
	}
	if t.over > 0 {
		w.Addf("%d records show what total and history do not let be published", t.over)
	}
	n.Settle("budget rule", w, "every record shows a draw, or what it showed before where the rule has it")
	n.judgeHeld("rows by draw", &t.held, false)
	n.judgeReached(t)
	n.judgeWorst(t)
}

// judgeReached compares the figures of the records.
func (n *nights) judgeReached(t *census) {
	c, k := n.claims, n.claims.Kept
	var w kernel.Faults
	most, all := t.reached.Exact()
	if most == nil {
		w.Match(c.Cumulative.Label == "none", "the figure that was reached")
	} else {
		w.Match(c.Cumulative.Label == "exact" && c.Cumulative.Factor == most.RatString(), "the largest factor of a record")
		w.Match(c.Budget == "" || within(c.Budget, most.RatString()), "that no record is beyond the total")
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
	var w kernel.Faults
	w.Match(worst != nil && n.claims.Reserved.Factor == worst.RatString() && n.claims.Reserved.Label == "exact",
		"the largest factor that a record could reach")
	w.Match(n.claims.Budget == "" || worst == nil || within(n.claims.Budget, worst.RatString()),
		"that no record could reach more than the total")
	n.Settle("reserved worst case", w, "over every record of the nights before and a new one, whatever is drawn: %s%s",
		ratText(worst), rest(all))
}

func rest(all bool) string {
	return either(all, "", "; of factors that floats cannot tell apart 2000 were compared as fractions")
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
