package store

import (
	"container/list"
	"sync"
)

// A shelf keeps what was fetched, that which was used last in front, up to so many bytes.
type shelf struct {
	most int64

	mu     sync.Mutex
	of     map[any]*list.Element // of *fetched, by what they are called
	recent list.List
	bytes  int64
}

// fetched is there or on its way.
type fetched struct {
	key   any
	size  int64
	done  chan struct{}
	bytes []byte
	err   error
}

// take gives what is called key, and reads it where it is not on the shelf. What failed is read again.
func (s *shelf) take(key any, size int64, read func() ([]byte, error)) *fetched {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.of[key]; e != nil {
		s.recent.MoveToFront(e)
		return e.Value.(*fetched)
	}
	if s.of == nil {
		s.of = map[any]*list.Element{}
	}
	f := &fetched{key: key, size: size, done: make(chan struct{})}
	s.of[key] = s.recent.PushFront(f)
	for s.bytes += size; s.bytes > s.most; {
		s.forget(s.recent.Back())
	}
	go func() {
		defer close(f.done)
		if f.bytes, f.err = read(); f.err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if e := s.of[key]; e != nil && e.Value == f {
				s.forget(e)
			}
		}
	}()
	return f
}

// forget takes one from the shelf.
func (s *shelf) forget(e *list.Element) {
	f := s.recent.Remove(e).(*fetched)
	delete(s.of, f.key)
	s.bytes -= f.size
}

// clear empties the shelf.
func (s *shelf) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.recent.Len() > 0 {
		s.forget(s.recent.Back())
	}
}
