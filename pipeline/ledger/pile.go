package ledger

import (
	"iter"
	"sync"
)

// A Pile collects what goroutines add, in any order, and gives it back by shards. Each
// shard is a list in chunks, which grows without being copied.
type Pile[T any] struct {
	shards [256]struct {
		sync.Mutex
		chunks [][]T
		_      [32]byte // each in lines of the cache of its own
	}
}

// chunk is the length of each.
const chunk = 1 << 10

// Add adds all, of which shard is the first byte of what is compared.
func (p *Pile[T]) Add(shard byte, all ...T) {
	s := &p.shards[shard]
	s.Lock()
	defer s.Unlock()
	for _, x := range all {
		last := len(s.chunks) - 1
		if last < 0 || len(s.chunks[last]) == chunk {
			s.chunks = append(s.chunks, make([]T, 0, chunk))
			last++
		}
		s.chunks[last] = append(s.chunks[last], x)
	}
}

// Lists gives what was added, a list for each shard in their order, which ready, such as a sort,
// is done with: the next is made ready while one is used. A list is good until the next comes;
// what was added is spent.
func (p *Pile[T]) Lists(ready func([]T)) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		lists, done := make(chan []T), make(chan struct{})
		defer close(done)
		go func() {
			defer close(lists)
			var scratch [2][]T // one in use, the other in the making
			for i := range p.shards {
				s, list := &p.shards[i], scratch[i%2][:0]
				for _, c := range s.chunks {
					list = append(list, c...)
				}
				s.chunks = nil
				ready(list)
				scratch[i%2] = list
				select {
				case lists <- list:
				case <-done:
					return
				}
			}
		}()
		for list := range lists {
			if !yield(list) {
				return
			}
		}
	}
}
