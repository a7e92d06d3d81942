package releases

import "github.com/tacet-privacy/tacet/io/table"

// Hands make the memoised draws of a part.
type Hands struct {
	m     *Memo
	noted *noted
}

// Hands are those of a part, noting in b, which may be nil, what is published.
func (m *Memo) Hands(b *Booking) *Hands {
	h := &Hands{m: m, noted: &noted{}}
	if b != nil {
		h.noted = &b.noted
	}
	return h
}

// A Hand draws for one unit, on which one goroutine works at a time.
type Hand struct {
	hand  *hand // nil for a plan without letters
	noted *noted
}

// Unit is the hand of another unit.
func (h *Hands) Unit() *Hand {
	if h.m.keyed == nil {
		return &Hand{}
	}
	return &Hand{h.m.hand(), h.noted}
}

// Draw replaces the letters of a batch and tells what was drawn, which is good
// until it draws again.
func (h *Hand) Draw(b *table.Batch) ([]Drawing, error) {
	if h.hand == nil {
		return nil, nil
	}
	return h.hand.draw(b, h.noted)
}
