package releases

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// Errors of Decide. None of them is about one record alone: the night does not
// take place.
var (
	errOver = fault.New(fault.Privacy, "choose a smaller epsilon, or a larger --total-epsilon with --redesign",
		"a record would exceed --total-epsilon by its first draw; nothing was published")
	errUnknown = fault.New(fault.Privacy, "make a plan that has all outputs of the earlier plans (--labels)",
		"an earlier output is not an output of the present plan and cannot be shown again; nothing was published")
)

// A Row is what is published of a record tonight.
type Row struct {
	Output  int32  // of this release's plan; -1 is a null that is no output
	Channel uint16 // where the history has it
	Entry   uint16 // its output there
	Visible bool   // another than was published under the same channel, or a null for a value or the reverse

	// Held rows show an earlier draw, or that there was no value, and are outside
	// the floor. Told is what their outputs tell that made it so, and Alone what a
	// single draw tells of those that it may show; nil for none.
	Held  bool
	Told  *composition.State
	Alone *big.Rat
}

// before are the entries of the nights before, in the order of their first.
func (n *Night) before(past []ledger.RecordEntry) []ledger.RecordEntry {
	for i, e := range past {
		if int(e.First) >= n.Number {
			return past[:i]
		}
	}
	return past
}

// Decide takes what was published of a record and the output that its letter has drawn anew,
// -1 for a null that stays.
func (n *Night) Decide(past []ledger.RecordEntry, drawn int32) (r Row, err error) {
	past = n.before(past)
	if n.Hold && len(past) > 0 {
		return n.hold(past, drawn)
	}
	r = Row{Output: drawn, Channel: n.Own, Entry: uint16(drawn)} // -1 is ledger.Null
	if drawn >= 0 && n.channel[n.Own].Total != nil {
		st, err := n.prefix(past)
		if err != nil {
			return r, err
		}
		switch st.Decide(int(n.Own)) {
		case composition.Refused:
			return r, errOver
		case composition.Keep:
			if err := n.keep(&r, st, past); err != nil {
				return r, err
			}
		}
	}
	if len(past) == 0 {
		return r, nil
	}
	shown := absent
	if r.Output >= 0 {
		shown = n.symbol[n.Own][r.Output]
	}
	r.Visible = n.mixed(past, shown)
	for _, e := range past {
		r.Visible = r.Visible || e.Channel == r.Channel && n.of(e) != shown
	}
	return r, nil
}

// hold shows the first output of before, which is no earlier draw where this
// release's is the same one.
func (n *Night) hold(past []ledger.RecordEntry, drawn int32) (r Row, err error) {
	e := past[0]
	y, ok := n.output(n.Own, n.of(e))
	if !ok {
		return r, errUnknown
	}
	r = Row{Output: y, Channel: e.Channel, Entry: e.Output, Held: y != drawn || y >= 0 && e.Channel != n.Own}
	if r.Held && n.of(e) != absent { // which shows no draw
		r.Told, err = n.walk(past[:1], -1)
	}
	return r, err
}

// keep shows the last output of before: what this channel showed, or else the one that
// was published last.
func (n *Night) keep(r *Row, st *composition.State, past []ledger.RecordEntry) (err error) {
	values := slices.DeleteFunc(slices.Clone(past), func(e ledger.RecordEntry) bool { return n.of(e) == absent })
	e := latest(values)
	if i := slices.IndexFunc(values, func(e ledger.RecordEntry) bool { return e.Channel == n.Own }); i >= 0 {
		e = values[i]
	}
	s := n.of(e)
	y, ok := n.output(n.Own, s)
	if !ok || y < 0 {
		return errUnknown
	}
	r.Output, r.Entry, r.Held, r.Told = y, uint16(y), true, st
	r.Alone, err = n.alone(past, s)
	return err
}

// prefix is the state before the first entry of this release's channel.
func (n *Night) prefix(past []ledger.RecordEntry) (*composition.State, error) {
	if len(past) == 0 {
		s, err := n.at(n.Number)
		if err != nil {
			return nil, err
		}
		return s.Start(), nil
	}
	return n.walk(past, int(n.Own))
}

// latest is the entry that was published last.
func latest(past []ledger.RecordEntry) ledger.RecordEntry {
	last := past[0]
	for _, e := range past[1:] {
		if e.Last >= last.Last {
			last = e
		}
	}
	return last
}
