package verify

import (
	"io"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
)

// stored are the objects of a store that are read, of which few keep what was read of them.
type stored struct {
	mu     sync.Mutex
	open   []*object // read last first
	failed error     // first answer that a store did not give: what it hides looks damaged
}

// mostObjects bounds those that keep what was read of them.
const mostObjects = 4

// An object is one of a store, opened when it is read.
type object struct {
	of   *stored
	find func() (table.Content, error)
	at   table.Content // nil while it is not open
}

// size opens the object.
func (o *object) size() (int64, error) {
	at, err := o.of.opened(o)
	if err != nil {
		return 0, err
	}
	return at.Size(), nil
}

// ReadAt reads what is asked for, and blocks around it.
func (o *object) ReadAt(b []byte, off int64) (n int, err error) {
	at, err := o.of.opened(o)
	if err == nil {
		n, err = at.ReadAt(b, off)
	}
	if err != nil && err != io.EOF {
		o.of.mu.Lock()
		defer o.of.mu.Unlock()
		if o.of.failed == nil {
			o.of.failed = err
		}
	}
	return n, err
}

// opened opens an object, and forgets what is read longest ago.
func (s *stored) opened(one *object) (_ table.Content, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.at == nil {
		if one.at, err = one.find(); err != nil {
			return nil, err
		}
	} else {
		s.open = slices.DeleteFunc(s.open, func(other *object) bool { return other == one })
	}
	s.open = slices.Insert(s.open, 0, one)
	if len(s.open) > mostObjects {
		last := s.open[mostObjects]
		last.at.Close() // which it survives: it forgets
		last.at, s.open = nil, s.open[:mostObjects]
	}
	return one.at, nil
}
