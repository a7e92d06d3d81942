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
	Night, Before int             // of this release and of the latest before it, from 1 on
	Hold          bool            // the first output is shown for ever
	Channel       int             // of this release's draws
	Begun         map[int]*Design // by night; nil where none began a record
	// Each visits every record with its entries, which are not kept; nil without a history.
	Each func(visit func([]Entry))

	world
	place map[files.Label]int32 // of outputs
}

// A Census is what the record history shows of a release.
type Census struct {
	New, Vanished, Visible int64
	Hidden                 int64    // nulls that are no output
	Astray                 int64    // records that began under plans that are not known
	Figures                int64    // records that have a factor
	Factor                 *big.Rat // the largest
	Held                   Held

	twice, over int64
	written     *Tally
	reached     peak
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
	t := &Census{written: NewTally(0, 0, len(n.Plan.Outputs))}
	n.place = placesOf(n.Plan.Outputs)
	n.Each(func(list []Entry) { n.record(t, list) })
	if t.Astray > 0 {
		return t
	}
	t.Factor, t.Hidden = t.reached.factor(), t.written.OutNulls
	var w Faults
	if is, public := n.Tally, n.Plan.Null == "public"; is != nil {
		for y, count := range t.written.Out {
			if count != is.Out[y] && !(public && n.Plan.Outputs[y].Null) {
				w.Addf("output %d was written %d times, and stands %d times in the record history", y+1, is.Out[y], count)
			}
		}
		w.Match(t.written.Rows == is.Rows, "the number of rows of this release")
		w.Match(!public || n.Plan.NullOutput() || t.Hidden == is.OutNulls, "the number of nulls of this release")
	}
	n.Settle("published outputs", w, "the outputs written are those that the record history has of %d rows",
		t.written.Rows)
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

// record counts one record.
func (n *Nights) record(t *Census, list []Entry) {
	v := n.ruling(list)
	if v == nil {
		t.Astray++
		return
	}
	switch e := v.tonight; {
	case len(v.past) == 0:
		t.New++
	case e == nil && v.last == n.Before:
		t.Vanished++
	}
	if slices.ContainsFunc(list, func(e Entry) bool { return !e.null() }) {
		after := n.walk(list, -1)
		if t.reached.add(after, nil); after.factor > 0 {
			t.Figures++
		} else {
			t.Visible++
		}
	}
	if v.tonight == nil {
		return
	}
	if v.twice {
		t.twice++
	}
	s, absent := n.of(*v.tonight), v.tonight.null() && !(n.Hold && v.keeps)
	y, drawn := n.place[s]
	fits := drawn
	switch {
	case absent:
		fits = n.Plan.Null == "public"
	case v.keeps:
		fits = s == v.shows
	}
	if v.wrong || int(v.tonight.Channel) != v.channel || !fits {
		t.over++
	}
	n.take(&t.Held, v, nothing, absent)
	if !drawn {
		y = files.Null
	}
	t.written.Written(y)
}

// of is what an entry shows; nothing where its channel has no such output.
func (n *Nights) of(e Entry) files.Label {
	outputs := n.Channels[e.Channel].Outputs
	switch {
	case e.null():
		return files.Label{Null: true}
	case int(e.Output) >= len(outputs):
		return nothing
	}
	return outputs[e.Output]
}

// null reports whether the entry is a null that stays.
func (e Entry) null() bool { return e.Output == StaysNull }

// in are the entries of a channel.
func in(channel int) func(Entry) bool { return func(e Entry) bool { return int(e.Channel) == channel } }

// walk goes along the outputs of a record up to the first of a channel, -1 for all; nil where
// the plan of its first night is not known.
func (n *Nights) walk(list []Entry, until int) *state {
	night := n.Night
	if len(list) > 0 {
		night = int(list[0].First)
	}
	if n.Begun[night] == nil {
		return nil
	}
	s, shown, null := n.begin(n.Begun[night]), []Entry(nil), false
	for i, e := range list {
		switch {
		case e.null():
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

// A ruling is what the history has of a record, and lets be published of it tonight.
type ruling struct {
	past    []Entry // of the nights before
	tonight *Entry  // nil for none
	twice   bool    // tonight has several
	last    int     // the latest night of the others

	channel int         // through which it is published
	keeps   bool        // what it shows is published, whatever is drawn; nothing ends the night
	shows   files.Label //
	wrong   bool        // a night before showed something else by this channel
	told    *state      // of keeps: what the record's outputs tell that made it so; nil where it shows a null that stays
	alone   *big.Rat    // the most that a single draw tells which it may show
}

// ruling applies docs/repeated.md to the entries of a record; nil where a plan is missing.
func (n *Nights) ruling(list []Entry) *ruling {
	v := &ruling{past: list, channel: n.Channel}
	for i, e := range list {
		if int(e.First) == n.Night && len(v.past) == len(list) {
			v.past = list[:i]
		}
		if int(e.Last) == n.Night {
			v.twice, v.tonight = v.tonight != nil, &list[i]
		} else {
			v.last = max(v.last, int(e.Last))
		}
	}
	before := n.walk(v.past, n.Channel)
	switch {
	case before == nil:
		return nil
	case n.Hold && len(v.past) > 0:
		first := v.past[0]
		v.keeps, v.shows, v.channel = true, n.of(first), int(first.Channel)
		if !first.null() {
			v.told = n.walk(v.past[:1], -1)
		}
		return v
	case before.drawn(n.Channel):
		return v
	}
	v.keeps, v.shows, v.told = true, nothing, before
	if shown := slices.DeleteFunc(slices.Clone(v.past), Entry.null); len(shown) > 0 {
		e := slices.MaxFunc(shown, func(a, b Entry) int { return int(a.Last) - int(b.Last) })
		if i := slices.IndexFunc(shown, in(n.Channel)); i >= 0 {
			e = shown[i]
			replaced := func(o Entry) bool { return slices.ContainsFunc(shown[:i], in(int(o.Channel))) }
			v.wrong = !n.again(shown[:i], e) && !slices.ContainsFunc(shown[i+1:], replaced) // which drops what stood there
		}
		v.shows = n.of(e)
		v.alone = n.singly(v.past, v.shows)
	}
	return v
}

// singly is the most that a single draw tells of those that may have shown this, under the
// counts of the plan it was drawn by; nil for none.
func (n *Nights) singly(past []Entry, of files.Label) (most *big.Rat) {
	for _, e := range past {
		c, y, plan := int(e.Channel), int(e.Output), n.Begun[int(e.First)]
		if e.null() || n.of(e) != of || plan == nil || !n.walk(past, c).drawn(c) {
			continue
		}
		if start := n.begin(plan); y < len(start.column[c]) && start.once(start.column[c][y]) > 0 {
			most = larger(most, start.exactly(start.column[c][y]))
		}
	}
	return most
}

// take counts a row that is not drawn anew: drawn is what key and letter give, nothing where
// these are not known; absent says that it is known to have no value tonight.
func (n *Nights) take(h *Held, v *ruling, drawn files.Label, absent bool) bool {
	_, is := n.place[v.shows]
	sure := !n.Hold || absent || is && v.channel != n.Channel || drawn != nothing && drawn != v.shows
	if !v.keeps || v.shows == nothing || absent && (v.told == nil || !n.Hold) || !sure && drawn != nothing {
		return false
	}
	if h.all.add(v.told, v.alone); !sure {
		h.Open++
		return false
	}
	h.sure.add(v.told, v.alone)
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
