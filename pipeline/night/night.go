package night

import (
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/series"
	"github.com/tacet-privacy/tacet/pipeline/ledger/history"
)

// Errors of Decide. None of them is about one record alone: the night does not
// take place.
var (
	ErrOver    = errors.New("a record would pass the total")
	ErrUnknown = errors.New("what was published before is no output of tonight's plan and cannot be repeated")
)

// A Night is tonight's channel in a Book. It may be used by many goroutines.
type Night struct {
	Book    *Book
	Number  int    // of the night; entries first seen in it or later are not looked at
	Channel uint16 // of draws
	Hold    bool   // the first output is repeated for ever
	limited bool

	Degrading *Degrading // nil where nothing is or was drawn from what was published
}

// NewNight is night number n of a book, drawn through a channel.
func NewNight(b *Book, n int, channel uint16, hold bool) *Night {
	k := b.channel[channel].Kind
	return &Night{Book: b, Number: n, Channel: channel, Hold: hold, limited: k != Draw && k != Derived}
}

// A Row is what is published of a record tonight.
type Row struct {
	Output  int32  // of tonight's plan; -1 is a null that is no output
	Channel uint16 // where the history has it
	Entry   uint16 // its output there
	Fits    bool   // the draw belongs to the test of the draws against the design
	Held    bool   // published without being the draw, or with a rule between: outside the floor
	Limited bool   // by the total
	Changed bool   // another than was published last
	Visible bool   // another than was published under the same channel
}

// Before are the entries of the nights before, in the order of their first.
func (n *Night) Before(past []history.Entry) []history.Entry {
	for i, e := range past {
		if int(e.First) >= n.Number {
			return past[:i]
		}
	}
	return past
}

// Decide takes what was published of a record before (see Before) and the
// output that its letter has drawn tonight; derive is asked where the output
// comes from what was published.
func (n *Night) Decide(past []history.Entry, drawn int32, derive Derive) (r Row, err error) {
	b := n.Book
	r = Row{Output: drawn, Channel: n.Channel, Entry: uint16(drawn), Fits: true}
	ours := known(past, n.Channel)
	if n.Hold && len(past) > 0 {
		r.Fits = ours
		if ours && n.limited {
			st, err := b.walk(past, int(n.Channel))
			if err != nil {
				return r, err
			}
			r.Fits = st.Decide(int(n.Channel)).Action == series.Draw
		}
		return n.repeat(r, past[0])
	}
	e, told, err := n.derived(past, derive)
	switch {
	case err != nil:
		return r, err
	case told:
		r = Row{Output: int32(e.Output), Channel: e.Channel, Entry: e.Output, Held: true}
	case n.limited:
		if err := n.limit(&r, past); err != nil {
			return r, err
		}
	}
	if len(past) == 0 {
		return r, nil
	}
	shown, latest := b.symbolOf(n.Channel, r.Output), past[0]
	for _, e := range past[1:] {
		if e.Last >= latest.Last {
			latest = e
		}
	}
	r.Changed = b.of(latest) != shown
	for _, e := range past {
		if e.Channel == r.Channel && b.of(e) != shown {
			r.Visible = true
		}
	}
	return r, nil
}

// repeat publishes an output of before.
func (n *Night) repeat(r Row, e history.Entry) (Row, error) {
	y, ok := n.Book.output(n.Channel, n.Book.of(e))
	if !ok {
		return r, ErrUnknown
	}
	r.Held = !r.Fits || y != r.Output
	r.Output, r.Channel, r.Entry = y, e.Channel, e.Output
	return r, nil
}

// limit applies the channel's rule to a draw.
func (n *Night) limit(r *Row, past []history.Entry) (err error) {
	st, err := n.prefix(past)
	if err != nil {
		return err
	}
	d := st.Decide(int(n.Channel))
	if d.Action == series.Refused {
		return ErrOver
	}
	r.Fits = d.Action == series.Draw
	r.Limited = !r.Fits
	y, ok := n.Book.output(n.Channel, d.Publish(r.Output))
	if !ok {
		return ErrUnknown
	}
	r.Held = !r.Fits || y != r.Output
	r.Output, r.Entry = y, uint16(y)
	if y < 0 {
		r.Entry = history.Null
	}
	return nil
}

// prefix is the state before the first entry of tonight's channel.
func (n *Night) prefix(past []history.Entry) (*series.State, error) {
	if len(past) == 0 {
		s, err := n.Book.at(n.Number)
		if err != nil {
			return nil, err
		}
		return s.Start(), nil
	}
	return n.Book.walk(past, int(n.Channel))
}

func (b *Book) symbolOf(channel uint16, y int32) series.Symbol {
	if y < 0 {
		return b.null
	}
	return b.symbol[channel][y]
}

// Worst is the largest factor that a record can have after tonight, whatever is
// drawn: of every record of the history and of a new one. Records without a
// figure do not count.
func (n *Night) Worst(h *history.History) (*big.Rat, error) {
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
	states, decisions := map[*series.State]bool{}, map[*series.Decision]bool{}
	err = h.Each(func(_ *history.Record, list []history.Entry) error {
		past := n.Before(list)
		if len(past) == 0 {
			return nil // began tonight, in a run that died or is repeated
		}
		st, err := n.Book.walk(past, -1)
		if err != nil {
			return err
		}
		_, told, err := n.derived(past, nil)
		if err != nil && !errors.Is(err, ErrUnknown) { // else tonight is refused if it comes
			return err
		}
		if n.Hold || told || known(past, n.Channel) {
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
