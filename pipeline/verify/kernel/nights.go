package kernel

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// StaysNull is the output of a record that was published as a null that is no output.
const StaysNull = 0xffff

// nothing stands for nothing published, which no label is.
var nothing = files.Label{Null: true, Text: "nothing"}

// An Entry is one output of a record: through which channel, and in which nights first and
// last.
type Entry struct{ Channel, Output, First, Last uint16 }

// Nights are a release with what those before it published of its records.
type Nights struct {
	*Release
	*Facts
	*Result
	Night, Before int  // of this release and of the latest before it, from 1 on
	Hold          bool // the first output is shown for ever
	Channels      []Channel
	Channel       int       // of this release's draws
	Begun         []*Design // by night, from 1 on; nil where none began a record
	// Each visits every record with its entries, which are not kept; nil without a history.
	Each func(visit func([]Entry))

	world *world
}

// A Census is what the record history shows of a release.
type Census struct {
	New, Vanished, Visible int64
	Hidden                 int64    // nulls that are no output
	Astray                 int64    // records that began under plans that are not known
	Figures                int64    // records that have a factor
	Factor                 *big.Rat // the largest
	Held                   Held

	rows, twice, over int64
	out               []int64
	reached           peak
}

// Held are rows that are not drawn anew. Of some rows only the key tells whether they are:
// these are open.
type Held struct {
	Rows, Open, Visible int64
	Absent              int64                 // rows that have no value tonight
	Shows               map[files.Label]int64 // rows, without those that are open

	sure, all peak // without and with the rows that are open
}

// Tells reports whether the largest factor of the rows may be f, nil for none.
func (h *Held) Tells(f *big.Rat) bool {
	low, high := h.sure.factor(), h.all.factor()
	if f == nil {
		return low == nil
	}
	return (low == nil || f.Cmp(low) >= 0) && high != nil && f.Cmp(high) <= 0
}

// Count proves from the record history what all nights tell, that every record shows a draw
// or what the rule lets it show, and that the outputs are those that were written.
func (n *Nights) Count() *Census {
	t := &Census{out: make([]int64, len(n.Plan.Outputs))}
	n.world = newWorld(n.Channels)
	n.Each(func(list []Entry) { n.record(t, list) })
	if t.Astray > 0 {
		return t
	}
	t.Factor = t.reached.factor()
	var w Faults
	if n.Tally != nil {
		for y, count := range t.out {
			if null := n.Plan.Outputs[y].Null; count != n.Tally.Out[y] && !(null && n.Plan.Null == "public") {
				w.Addf("output %d was written %d times, and stands %d times in the record history", y+1, n.Tally.Out[y], count)
			}
		}
		w.Match(t.rows == n.Tally.Rows, "the number of rows of this release")
		w.Match(n.Plan.Null != "public" || n.Plan.NullOutput() || t.Hidden == n.Tally.OutNulls,
			"the number of nulls of this release")
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
	return t
}

// before are the entries of the nights before, at the entry of tonight, -1 for none, and last
// the latest night of the others. twice says that tonight has several.
func (n *Nights) before(list []Entry) (past []Entry, at, last int, twice bool) {
	past, at = list, -1
	for i, e := range list {
		if int(e.First) == n.Night && len(past) == len(list) {
			past = list[:i]
		}
		if int(e.Last) == n.Night {
			twice, at = at >= 0, i
		} else {
			last = max(last, int(e.Last))
		}
	}
	return past, at, last, twice
}

// record counts one record.
func (n *Nights) record(t *Census, list []Entry) {
	past, at, last, twice := n.before(list)
	v, ok := n.ruling(past)
	after := n.walk(list, -1)
	switch {
	case len(past) == 0:
		t.New++
	case at < 0 && last == n.Before:
		t.Vanished++
	}
	if !ok || after == nil {
		t.Astray++
		return
	}
	if len(values(list)) > 0 {
		if t.reached.add(after); after.factor > 0 {
			t.Figures++
		} else {
			t.Visible++
		}
	}
	if at < 0 {
		return
	}
	if t.rows++; twice {
		t.twice++
	}
	e := list[at]
	s, absent := n.of(e), e.Output == StaysNull && !(n.Hold && v.keeps)
	y, drawn := n.world.place[n.Channel][s]
	if v.wrong || int(e.Channel) != v.channel || absent && n.Plan.Null != "public" ||
		!absent && (v.keeps && s != v.shows || !v.keeps && !drawn) {
		t.over++
	}
	if !absent {
		n.take(&t.Held, &v, nothing, false)
	}
	if drawn {
		t.out[y]++
	} else {
		t.Hidden++
	}
}

// of is what an entry shows; nothing where its channel has no such output.
func (n *Nights) of(e Entry) files.Label {
	outputs := n.Channels[e.Channel].Outputs
	switch {
	case e.Output == StaysNull:
		return files.Label{Null: true}
	case int(e.Output) >= len(outputs):
		return nothing
	}
	return outputs[e.Output]
}

// values are the entries but for nulls that stay.
func values(list []Entry) []Entry {
	if !slices.ContainsFunc(list, isNull) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), isNull)
}

func isNull(e Entry) bool { return e.Output == StaysNull }

// in are the entries of a channel.
func in(channel int) func(Entry) bool { return func(e Entry) bool { return int(e.Channel) == channel } }

// walk goes along the outputs of a record up to the first of a channel, -1 for all; nil where
// the plan of its first night is not known.
func (n *Nights) walk(list []Entry, until int) *state {
	night := n.Night
	if len(list) > 0 {
		night = int(list[0].First)
	}
	if night >= len(n.Begun) || n.Begun[night] == nil {
		return nil
	}
	s, shown, null := n.world.begin(n.Begun[night]), []Entry(nil), false
	for i, e := range list {
		switch {
		case e.Output == StaysNull:
			if null = true; len(shown) > 0 {
				s = s.changed
			}
			continue
		case int(e.Channel) == until:
			return s
		case null || slices.ContainsFunc(shown, in(int(e.Channel))) ||
			!s.drawn(int(e.Channel)) && !n.again(shown, e):
			s = s.changed
		default:
			s = s.after(int(e.Channel), int(e.Output))
		}
		shown = list[:i+1]
	}
	return s
}

// again reports whether an entry shows what may have been published last before it: an output
// that was shown since does not say when it was shown before.
func (n *Nights) again(shown []Entry, e Entry) bool {
	last := uint16(0)
	for _, o := range shown {
		if o.Last < e.First {
			last = max(last, o.Last)
		}
	}
	return slices.ContainsFunc(shown, func(o Entry) bool { return o.Last >= last && n.of(o) == n.of(e) })
}

// A ruling is what the history lets be published of a record tonight.
type ruling struct {
	channel int         // through which it is published
	keeps   bool        // what it shows is published, whatever is drawn; nothing ends the night
	shows   files.Label //
	wrong   bool        // a night before showed something else by this channel
	told    *state      // of keeps: what the record's outputs tell that made it so; nil where it shows a null that stays
	alone   *big.Rat    // the most that a single draw tells which it may show
}

// ruling applies docs/repeated.md to a record of which past was published; ok is false where a
// plan is missing.
func (n *Nights) ruling(past []Entry) (v ruling, ok bool) {
	before := n.walk(past, n.Channel)
	v.channel = n.Channel
	switch {
	case before == nil:
		return v, false
	case n.Hold && len(past) > 0:
		v.keeps, v.shows, v.channel = true, n.of(past[0]), int(past[0].Channel)
		if past[0].Output != StaysNull {
			v.told = n.walk(past[:1], -1)
		}
		return v, true
	case before.drawn(n.Channel):
		return v, true
	}
	v.keeps, v.shows, v.told = true, nothing, before
	if list := values(past); len(list) > 0 {
		last := slices.MaxFunc(list, func(a, b Entry) int { return int(a.Last) - int(b.Last) })
		if i := slices.IndexFunc(list, in(n.Channel)); i >= 0 {
			last = list[i]
			replaced := func(o Entry) bool { return slices.ContainsFunc(list[:i], in(int(o.Channel))) }
			v.wrong = !n.again(list[:i], last) && !slices.ContainsFunc(list[i+1:], replaced) // which drops what stood there
		}
		v.shows = n.of(last)
		v.alone = n.singly(past, list, v.shows)
	}
	return v, true
}

// singly is the most that a single draw tells of those that may have shown this, under the
// counts of the plan it was drawn by.
func (n *Nights) singly(past, shown []Entry, of files.Label) (most *big.Rat) {
	for _, e := range shown {
		if n.of(e) != of || int(e.First) >= len(n.Begun) || n.Begun[e.First] == nil ||
			!n.walk(past, int(e.Channel)).drawn(int(e.Channel)) {
			continue
		}
		start := n.world.begin(n.Begun[e.First])
		if y := int(e.Output); y < len(start.column[e.Channel]) && start.once(start.column[e.Channel][y]) > 0 {
			if f := start.exactly(start.column[e.Channel][y]); most == nil || f.Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}

// take counts a row that is not drawn anew: drawn is what key and letter give, nothing where
// these are not known; absent says that it is known to have no value tonight.
func (n *Nights) take(h *Held, v *ruling, drawn files.Label, absent bool) bool {
	_, is := n.world.place[n.Channel][v.shows]
	sure := !n.Hold || absent || is && v.channel != n.Channel || drawn != nothing && drawn != v.shows
	if !v.keeps || v.shows == nothing || absent && v.told == nil || !sure && drawn != nothing {
		return false
	}
	if h.all.take(v); !sure {
		h.Open++
		return false
	}
	h.sure.take(v)
	if h.Shows == nil {
		h.Shows = map[files.Label]int64{}
	}
	h.Shows[v.shows]++
	if h.Rows++; absent {
		h.Absent++
	}
	if v.told != nil && v.told.factor == 0 {
		h.Visible++
	}
	return true
}

func (p *peak) take(v *ruling) {
	if v.told != nil {
		p.add(v.told)
	}
	if v.alone != nil && (p.alone == nil || v.alone.Cmp(p.alone) > 0) {
		p.alone = v.alone
	}
}

// Worst is the worst rank and utility of rows by letter and output, 0 and nil for none, and how
// many the order forbids.
func (f *Facts) Worst(t *Tally) (worst int, value *float64, forbidden int64) {
	t.Each(func(_, x, y int, k int64) {
		row := f.Order.Row(x)
		if r := rank(row, y); worst == 0 || r < worst {
			worst = r
		}
		if u := row[y]; math.IsInf(u, -1) {
			forbidden += k
		} else if value == nil || u < *value {
			value = &u
		}
	})
	return worst, value, forbidden
}
