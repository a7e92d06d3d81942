package store

import (
	"container/list"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	// Small objects are read whole and stay at hand when they are closed, keptBytes of them
	// in all: every pass over many files asks for each once more.
	Small     = 1 << 20
	keptBytes = 64 << 20
	// AtOnce is how many small objects are asked for at once: a store is waited for.
	AtOnce = 64
)

// A shelf is the small objects at hand, those used last in front. The zero value is empty.
type shelf struct {
	mu     sync.Mutex
	of     map[string]*list.Element // of *whole, by address and tag
	recent list.List
	bytes  int64
}

var atHand shelf

type whole struct {
	fetched
	key  string
	size int64
}

// take gives a small object, and asks for it where it is not at hand.
func (s *shelf) take(o *Object) *fetched {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := o.tag + " " + o.url
	if e := s.of[key]; e != nil {
		s.recent.MoveToFront(e)
		return &e.Value.(*whole).fetched
	}
	if s.of == nil {
		s.of = map[string]*list.Element{}
	}
	w := &whole{fetched: fetched{done: make(chan struct{})}, key: key, size: o.size}
	s.of[key] = s.recent.PushFront(w)
	for s.bytes += w.size; s.bytes > keptBytes; {
		s.forget(s.recent.Back())
	}
	go func() {
		defer close(w.done)
		if w.bytes, w.err = o.read(0, o.size); w.err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.forget(s.of[key]) // it is asked for again
		}
	}()
	return &w.fetched
}

// forget takes one from the shelf, if it is there.
func (s *shelf) forget(e *list.Element) {
	if e == nil {
		return
	}
	w := s.recent.Remove(e).(*whole)
	delete(s.of, w.key)
	s.bytes -= w.size
}

// Fetch asks for small objects that will be read soon, many at once. Errors come when they
// are read.
func Fetch(ctx context.Context, objects []Named) {
	var all errgroup.Group
	all.SetLimit(AtOnce)
	room := int64(keptBytes)
	for _, n := range objects {
		if n.Tag == "" || n.Size == 0 || n.Size > Small {
			continue
		}
		if room -= n.Size; room < 0 {
			break
		}
		all.Go(func() error {
			if o, err := OpenListed(ctx, n.URL, n.Entry); err == nil {
				_, _ = o.ReadAt(make([]byte, 1), 0)
			}
			return nil
		})
	}
	_ = all.Wait()
}

// A Named is an object that was listed, with its address.
type Named struct {
	URL string
	Entry
}
