package booking

import "github.com/tacet-privacy/tacet/io/colfile"

// Hands are the memoised drawers of the units of a part.
type Hands struct {
	m     *Memo
	noted *noted
	unit  []*hand
}

// Hands are those of a part, noting in b, which may be nil, what is published.
func (m *Memo) Hands(b *Booking, units int) *Hands {
	h := &Hands{m: m, noted: &noted{}, unit: make([]*hand, units)}
	if b != nil {
		h.noted = &b.noted
	}
	return h
}

// Draw replaces the letters of a batch and tells what was drawn, which is good
// until the unit draws again; a unit has one goroutine at a time.
func (h *Hands) Draw(b *colfile.Batch) ([]Drawing, error) {
	if h.m.keyed == nil { // a plan without letters
		return nil, nil
	}
	u := b.Unit.Group
	if h.unit[u] == nil {
		h.unit[u] = h.m.hand()
	}
	return h.unit[u].draw(b, h.noted)
}

// Done forgets a unit.
func (h *Hands) Done(unit int) { h.unit[unit] = nil }
