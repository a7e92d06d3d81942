package releases

import (
	"context"
	"errors"
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// errNoID ends draws where a row has no id.
var errNoID = errors.New("a row has no id")

// A lookout looks at ids while records are drawn by them, so that they are read once.
type lookout struct {
	unique bool
	seen   Seen
	mu     sync.Mutex
	free   []*Looker // of all, those that no goroutine has
	all    []*Looker
}

// CheckDrawn makes the draws do what Check does. They may be written only once Drawn has
// found nothing; nothing may be booked for them before.
func (m *Memo) CheckDrawn() {
	if m != nil {
		m.looking = &lookout{unique: m.unique()}
	}
}

// Drawn is the verdict of CheckDrawn, given how the draws ended. Only where ids are refused are
// they read again, to name the rows.
func (m *Memo) Drawn(ctx context.Context, s *count.Source, err error) error {
	if m == nil || m.looking == nil {
		return err
	}
	l := m.looking
	switch {
	case errors.Is(err, errNoID):
		if refused := m.Check(ctx, s); refused != nil {
			return refused
		}
		return err
	case err != nil:
		return err
	case m.keyed == nil: // nothing was drawn by ids
		return m.Check(ctx, s)
	}
	for _, looker := range l.all {
		looker.Close()
	}
	return m.refuse(ctx, s, l.seen.Twice(count.ShownRows, s.Workers()))
}

// look notes the records of a batch.
func (h *Hand) look(b *table.Batch) error {
	l := h.m.looking
	if l == nil {
		return nil
	}
	if !h.m.whole(b) {
		return errNoID
	}
	if l.unique {
		to := l.take()
		to.Add(h.heads(b)...)
		l.give(to)
	}
	return nil
}

func (l *lookout) take() *Looker {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.free) - 1; last >= 0 {
		looker := l.free[last]
		l.free = l.free[:last]
		return looker
	}
	looker := l.seen.Looker()
	l.all = append(l.all, looker)
	return looker
}

func (l *lookout) give(looker *Looker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, looker)
}
