package releases

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// Errors of Decide. None of them is about one record alone: the night does not
// take place.
var (
	ErrOver    = errors.New("a record would exceed --total-epsilon")
	ErrUnknown = errors.New("an earlier output is not an output of the present plan and cannot be repeated")
)

// A Night is this release's channel in a Book. It may be used by many goroutines.
type Night struct {
	Book    *Book
	Number  int    // of the night; entries first seen in it or later are not looked at
	Channel uint16 // of draws
	Hold    bool   // the first output is repeated for ever
	limited bool
	hides   bool // what passes the total is published as a null
}

// NewNight is night number n of a book, drawn through a channel.
func NewNight(b *Book, n int, channel uint16, hold bool) *Night {
	k := b.channel[channel].Kind
	rule, err := k.rule()
	hides := err == nil && rule != nil && rule.Over == composition.Suppress
	return &Night{Book: b, Number: n, Channel: channel, Hold: hold, limited: k != Draw, hides: hides}
}

// A Class is by which draw a row was published.
type Class uint8

// The classes.
const (
	Drawn      Class = iota // this release's, or the same draw as in a night before
	Held                    // an earlier one: the first output is repeated for ever
	Repeated                // an earlier one, or this release's merged with it: the total lets nothing else be published
	Suppressed              // none that shows: a null stands for what the total does not admit
	Classes
)

// A Row is what is published of a record tonight.
type Row struct {
	Output  int32  // of this release's plan; -1 is a null that is no output
	Channel uint16 // where the history has it
	Entry   uint16 // its output there
	Fits    bool   // the draw belongs to the test of the draws against the design
	Held    bool   // published without being the draw, or with a rule between: outside the floor
	Limited bool   // by the total
	Changed bool   // another than was published last
	Visible bool   // another than was published under the same channel, or a null for a value or the reverse

	Class Class
	// Where the row is not drawn: what its record's outputs tell that made it so,
	// and what single draws tell of which it may be one; nil for none.
	Told  *composition.State
	Alone [2]*big.Rat
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
	r = Row{Output: drawn, Channel: n.Channel, Entry: uint16(drawn), Fits: true}
	ours := known(past, n.Channel)
	if n.Hold && len(past) > 0 {
		r.Fits = ours
		if ours && n.limited {
			st, err := b.walk(past, int(n.Channel))
			if err != nil {
				return r, err
			}
			r.Fits = st.Decide(int(n.Channel)).Action == composition.Draw
		}
		return n.repeat(r, past)
	}
	if n.limited {
		if err := n.limit(&r, past); err != nil {
			return r, err
		}
	}
	if len(past) == 0 {
		return r, nil
	}
	shown, last := b.symbolOf(n.Channel, r.Output), latest(past)
	r.Changed = b.absent(last) || b.of(last) != shown
	r.Visible = b.other(past, false)
	for _, e := range past {
		if e.Channel == r.Channel && b.of(e) != shown {
			r.Visible = true
		}
	}
	return r, nil
}

// repeat publishes the first output of before. It is this release's draw where that
// is the same.
func (n *Night) repeat(r Row, past []ledger.RecordEntry) (_ Row, err error) {
	e := past[0]
	y, ok := n.Book.output(n.Channel, n.Book.of(e))
	if !ok {
		return r, ErrUnknown
	}
	r.Held = !r.Fits || y != r.Output
	if y < 0 && r.Output < 0 {
		// A null that stays.
	} else if r.Held || e.Channel != n.Channel {
		r.Class = Held
		if n.Book.absent(e) {
			// It tells that there was no value, and shows no draw.
		} else if r.Told, err = n.Book.walk(past[:1], -1); err != nil {
			return r, err
		}
	}
	r.Output, r.Channel, r.Entry = y, e.Channel, e.Output
	return r, nil
}

// limit applies the channel's rule to a draw.
func (n *Night) limit(r *Row, past []ledger.RecordEntry) (err error) {
	st, err := n.prefix(past)
	if err != nil {
		return err
	}
	d := st.Decide(int(n.Channel))
	if d.Action == composition.Refused {
		return ErrOver
	}
	r.Fits = d.Action == composition.Draw
	r.Limited = !r.Fits
	symbol := d.Publish(r.Output)
	y, ok := n.Book.output(n.Channel, symbol)
	if !ok {
		return ErrUnknown
	}
	r.Held = !r.Fits || y != r.Output
	if y != r.Output || d.Action == composition.Fixed || d.Action == composition.Merge && symbol == d.Symbol {
		if r.Class = Repeated; n.hides {
			r.Class = Suppressed
		}
		r.Told, r.Alone = st.After(int(n.Channel), symbol), [2]*big.Rat{d.Alone(), n.Book.alone(past, symbol)}
	}
	r.Output, r.Entry = y, uint16(y)
	if y < 0 {
		r.Entry = ledger.Null
	}
	return nil
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

func (b *Book) symbolOf(channel uint16, y int32) composition.Symbol {
	if y < 0 {
		return b.null
	}
	return b.symbol[channel][y]
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

// absent reports an entry that is a null that stays: another null is published
// only where a total is kept by suppressing, and there nulls do not stay.
func (b *Book) absent(e ledger.RecordEntry) bool {
	return e.Output == ledger.Null && !strings.HasSuffix(string(b.channel[e.Channel].Kind), ", else suppress")
}

// Absent decides of a record that is null tonight, where nulls stay. Held, it
// goes on showing what it showed first.
func (n *Night) Absent(past []ledger.RecordEntry) (r Row, err error) {
	r = Row{Output: -1, Channel: n.Channel, Entry: ledger.Null}
	if len(past) == 0 {
		return r, nil
	}
	if !n.Hold {
		r.Changed = !n.Book.absent(latest(past))
		r.Visible = n.Book.other(past, true)
		return r, nil
	}
	if r, err = n.repeat(r, past); err != nil {
		return r, err
	}
	r.Held = r.Output >= 0
	return r, nil
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
		return fault.New(fault.Privacy, "choose another --over-budget (repeat or suppress), a smaller epsilon, or a "+
			"larger --total-epsilon with --redesign",
			"%v, and --over-budget allows no replacement; nothing was published", err)
	case errors.Is(err, errNoNull):
		return fault.New(fault.Input, "make the column nullable, or choose --over-budget repeat instead of suppress",
			"%v", err)
	case errors.Is(err, ErrUnknown):
		return fault.New(fault.Privacy,
			"make a plan that has all outputs of the earlier plans (--labels), or choose --over-budget suppress",
			"%v; nothing was published", err)
	}
	return err
}
