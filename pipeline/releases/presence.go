package releases

import (
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

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
