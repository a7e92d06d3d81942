package nights

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/records"
	"github.com/tacet-privacy/tacet/pipeline/verify/replay"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// A census is what the record history says of tonight.
type census struct {
	rows, fresh, vanished, visible int64
	limited                        int64
	hidden                         int64 // nulls that are no output
	out                            []int64
	least, most                    int64 // bounds on the outputs that are others than the last ones
	twice, astray, over            int64
	reached, worst                 replay.Peak
	low, high                      map[int]int64 // records by thousandths of nats, where floats leave both open
	figures                        int64
}

// checkHistory recomputes from the record history what the report says of it.
func (n *nights) checkHistory() {
	const name = "record history"
	h, c := n.history, n.claims
	var w verdict.Faults
	w.Match(h.Ledger == c.Ledger && h.Dataset == c.Dataset && h.Column == n.Report.Column && h.Population == c.Population, "the ledger, dataset, column or population")
	w.Match(c.Names == "" || h.Names == c.Names, "the key that names records")
	if r := n.release; r != nil && r.Sealed != nil && r.Sealed.History != nil {
		s := r.Sealed.History
		w.Match(h.SHA256 == s.SHA256 && h.Records == s.Records && h.Entries == s.Entries, "its hash, which the ledger names,")
	}
	w.Match(h.Night == c.Night, "the night that it ends with")
	if !n.Settle(name, w, "%d records, %d outputs, up to night %d; as ledger and report name it", h.Records, h.Entries, h.Night) {
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
		s.Decide(n.channel).Worst(&t.worst)
	}
	n.history.Each(func(_ records.Name, list []records.Entry) error {
		n.record(t, list, before)
		return nil
	})
}

// record counts one record.
func (n *nights) record(t *census, list []records.Entry, before int) {
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
	n.sum(t, after)
	if len(past) > 0 {
		t.worst.State(v.state)
		if !n.hold && !v.derives && !v.repeats && !has(past, n.channel) {
			v.state.Decide(n.channel).Worst(&t.worst)
		}
	}
	if at < 0 {
		return
	}
	t.rows++
	e := list[at]
	s := n.of(e)
	if int(e.Channel) != v.channel || !n.may(&v, s) {
		t.over++
	}
	if v.limited {
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
func (n *nights) changes(t *census, list []records.Entry, at, before int) {
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
func (n *nights) sum(t *census, s *replay.State) {
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
