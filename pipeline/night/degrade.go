package night

import (
	"github.com/tacet-privacy/tacet/pipeline/ledger/history"
)

// A Degrading draws tonight's output of a record from what was published of it
// last, not from its letter, by a channel W with new design = old design times
// W (mechanism/series.Degrade): that tells nothing new.
type Degrading struct {
	Channel uint16 // of such outputs in the history
	From    string // design whose outputs W takes; "" where none is drawn tonight, and those of before are repeated
}

// A Derive draws by W from an output of the old design, by the record's id.
type Derive func(output int32) int32

// derived is what a record shows that is not drawn from its letter; ok is false
// where it is drawn.
func (n *Night) derived(past []history.Entry, derive Derive) (e history.Entry, ok bool, err error) {
	if n.Degrading == nil || len(past) == 0 {
		return e, false, nil
	}
	for _, e := range past {
		if e.Channel == n.Degrading.Channel {
			return e, true, nil
		}
	}
	if n.Degrading.From == "" || known(past, n.Channel) {
		return e, false, nil
	}
	latest := past[0]
	for _, e := range past[1:] {
		if e.Last >= latest.Last {
			latest = e
		}
	}
	if n.Book.channel[latest.Channel].Plan.DesignHash != n.Degrading.From || latest.Output == history.Null {
		return e, false, ErrUnknown
	}
	e = history.Entry{Channel: n.Degrading.Channel, Output: latest.Output}
	if derive != nil {
		e.Output = uint16(derive(int32(latest.Output)))
	}
	return e, true, nil
}
