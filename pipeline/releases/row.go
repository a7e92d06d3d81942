package releases

import (
	"errors"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// Errors of Decide. None of them is about one record alone: the night does not
// take place.
var (
	ErrOver    = errors.New("a record would exceed --total-epsilon")
	ErrUnknown = errors.New("an earlier output is not an output of the present plan and cannot be shown again")
)

// A Night is this release's channel in a Book. It may be used by many goroutines.
type Night struct {
	Book    *Book
	Number  int    // of the night; entries first seen in it or later are not looked at
	Channel uint16 // of draws
	Hold    bool   // the first output is shown for ever
}

// A Row is what is published of a record tonight.
type Row struct {
	Output  int32  // of this release's plan; -1 is a null that is no output
	Channel uint16 // where the history has it
	Entry   uint16 // its output there
	Changed bool   // another than was published last
	Visible bool   // another than was published under the same channel, or a null for a value or the reverse

	// Held rows show an earlier draw, or that there was no value, and are outside
	// the floor. Told is what their outputs tell that made it so, and Alone what a
	// single draw tells of those that it may show; nil for none.
	Held  bool
	Told  *composition.State
	Alone *big.Rat
}

// Before are the entries of the nights before, in the order of their first.
func (n *Night) Before(past []ledger.RecordEntry) []ledger.RecordEntry {
	for i, e := range past {
		if int(e.First) >= n.Number {
			return past[:i]
		}
	}
	return past
}

// Decide takes what was published of a record before (see Before) and the
// output that its letter has drawn anew; see Absent for nulls that stay.
func (n *Night) Decide(past []ledger.RecordEntry, drawn int32) (r Row, err error) {
	b := n.Book
	if n.Hold && len(past) > 0 {
		return n.hold(past, drawn)
	}
	r = Row{Output: drawn, Channel: n.Channel, Entry: uint16(drawn)}
	if b.channel[n.Channel].Total != nil {
		st, err := n.prefix(past)
		if err != nil {
			return r, err
		}
		switch st.Decide(int(n.Channel)).Action {
		case composition.Refused:
			return r, ErrOver
		case composition.Keep:
			if err := n.keep(&r, st, past); err != nil {
				return r, err
			}
		}
	}
	if len(past) == 0 {
		return r, nil
	}
	shown, last := b.symbol[n.Channel][r.Output], latest(past)
	r.Changed = b.absent(last) || b.of(last) != shown
	r.Visible = b.other(past, false)
	for _, e := range past {
		r.Visible = r.Visible || e.Channel == r.Channel && b.of(e) != shown
	}
	return r, nil
}

// hold shows the first output of before, which is no earlier draw where this
// release's is the same one.
func (n *Night) hold(past []ledger.RecordEntry, drawn int32) (r Row, err error) {
	e := past[0]
	y, ok := n.Book.output(n.Channel, n.Book.of(e))
	if !ok {
		return r, ErrUnknown
	}
	r = Row{Output: y, Channel: e.Channel, Entry: e.Output, Held: y != drawn || y >= 0 && e.Channel != n.Channel}
	if r.Held && !n.Book.absent(e) { // which shows no draw
		r.Told, err = n.Book.walk(past[:1], -1)
	}
	return r, err
}

// keep shows the last output of before: what this channel showed, or else the one that
// was published last.
func (n *Night) keep(r *Row, st *composition.State, past []ledger.RecordEntry) (err error) {
	b := n.Book
	values := slices.DeleteFunc(slices.Clone(past), b.absent)
	e := latest(values)
	if i := slices.IndexFunc(values, func(e ledger.RecordEntry) bool { return e.Channel == n.Channel }); i >= 0 {
		e = values[i]
	}
	s := b.of(e)
	y, ok := b.output(n.Channel, s)
	if !ok || y < 0 {
		return ErrUnknown
	}
	r.Output, r.Entry, r.Held, r.Told = y, uint16(y), true, st
	r.Alone, err = b.alone(past, s)
	return err
}

// prefix is the state before the first entry of this release's channel.
func (n *Night) prefix(past []ledger.RecordEntry) (*composition.State, error) {
	if len(past) == 0 {
		s, err := n.Book.at(n.Number)
		if err != nil {
			return nil, err
		}
		return s.Start(), nil
	}
	return n.Book.walk(past, int(n.Channel))
}

// Worst is the largest factor that a record can have after tonight, whatever is
// drawn: of every record of the history and of a new one. Records without a
// figure do not count.
func (n *Night) Worst(h *ledger.History) (*big.Rat, error) {
	worst := big.NewRat(1, 1)
	over := func(f *big.Rat) {
		if f != nil && f.Cmp(worst) > 0 {
			worst = f
		}
	}
	start, err := n.prefix(nil)
	if err != nil {
		return nil, err
	}
	over(start.Decide(int(n.Channel)).Worst())
	states, decisions := map[*composition.State]bool{}, map[*composition.Decision]bool{}
	err = h.Each(func(_ *ledger.Record, list []ledger.RecordEntry) error {
		past := n.Before(list)
		if len(past) == 0 {
			return nil // began tonight, in a run that died or is repeated
		}
		st, err := n.Book.walk(past, -1)
		if err != nil {
			return err
		}
		if n.Hold || known(past, n.Channel) {
			if !states[st] {
				states[st] = true
				over(st.Factor())
			}
			return nil
		}
		if d := st.Decide(int(n.Channel)); !decisions[d] {
			decisions[d] = true
			over(d.Worst())
			over(st.Factor())
		}
		return nil
	})
	return worst, err
}

// Nulls that stay are outside every plan: no draw gives one, and none hides one.
// A record that shows one night a null and another night a value has therefore
// shown that it changed, whatever the designs of these nights. Its null stands
// in the history beside the outputs, under the channel of its night.

// absent reports an entry that is a null that stays.
func (b *Book) absent(e ledger.RecordEntry) bool { return e.Output == ledger.Null }

// Absent decides of a record that is null tonight, where nulls stay. Held, it
// goes on showing what it showed first.
func (n *Night) Absent(past []ledger.RecordEntry) (r Row, err error) {
	switch {
	case len(past) == 0:
		return Row{Output: -1, Channel: n.Channel, Entry: ledger.Null}, nil
	case n.Hold:
		return n.hold(past, -1)
	}
	return Row{Output: -1, Channel: n.Channel, Entry: ledger.Null, Changed: !n.Book.absent(latest(past)),
		Visible: n.Book.other(past, true)}, nil
}

// other reports whether a record showed before that it had a value where it
// has none, or the reverse.
func (b *Book) other(past []ledger.RecordEntry, absent bool) bool {
	for _, e := range past {
		if b.absent(e) != absent {
			return true
		}
	}
	return false
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

// errNoNull says that a record shows a null and the column of this release's output
// cannot hold one.
var errNoNull = errors.New("the column is required, so it cannot hold the null that an earlier release gave a record")

// nightFault classifies what stops a night.
func nightFault(err error) error {
	switch {
	case errors.Is(err, ErrOver):
		return fault.New(fault.Privacy, "choose a smaller epsilon, or a larger --total-epsilon with --redesign",
			"%v by its first draw; nothing was published", err)
	case errors.Is(err, errNoNull):
		return fault.New(fault.Input, "make the column nullable", "%v", err)
	case errors.Is(err, ErrUnknown):
		return fault.New(fault.Privacy, "make a plan that has all outputs of the earlier plans (--labels)",
			"%v; nothing was published", err)
	}
	return err
}
