package ledger

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"sync"
)

// A Note is a pair of numbers that was noted of a record, whose name is kept as two numbers
// that compare as its bytes do.
type Note struct {
	hi, lo uint64
	A, B   uint32
}

// Notes collects notes by record, 24 bytes each, from many goroutines. Those of records with one
// first byte are a list in chunks, which grows without being copied.
type Notes struct {
	shards [256]struct {
		sync.Mutex
		chunks [][]Note
		_      [32]byte // each in lines of the cache of its own
	}
}

// chunk is the length of each.
const chunk = 1 << 10

// Add notes a pair of a record.
func (n *Notes) Add(name *Record, a, b uint32) {
	s := &n.shards[name[0]]
	s.Lock()
	defer s.Unlock()
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last]) == chunk {
		s.chunks = append(s.chunks, make([]Note, 0, chunk))
		last++
	}
	s.chunks[last] = append(s.chunks[last], Note{binary.BigEndian.Uint64(name[:]), binary.BigEndian.Uint64(name[8:]), a, b})
}

// Records gives every record in ascending order with its notes, which are sorted, so that
// nothing depends on the order of rows or goroutines. They are good until the next, and spent.
func (n *Notes) Records() iter.Seq2[Record, []Note] {
	return func(yield func(Record, []Note) bool) {
		for list := range n.sorted() {
			for len(list) > 0 {
				k := 1
				for k < len(list) && list[k].hi == list[0].hi && list[k].lo == list[0].lo {
					k++
				}
				var name Record
				binary.BigEndian.PutUint64(name[:], list[0].hi)
				binary.BigEndian.PutUint64(name[8:], list[0].lo)
				if !yield(name, list[:k]) {
					return
				}
				list = list[k:]
			}
		}
	}
}

// sorted gives the notes of each shard in order: the next are sorted while one is used.
func (n *Notes) sorted() iter.Seq[[]Note] {
	return func(yield func([]Note) bool) {
		lists, done := make(chan []Note), make(chan struct{})
		defer close(done)
		go func() {
			defer close(lists)
			for i := range n.shards {
				list := slices.Concat(n.shards[i].chunks...)
				n.shards[i].chunks = nil
				slices.SortFunc(list, inOrder)
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

// inOrder is the order of notes by record and pair.
func inOrder(x, y Note) int {
	switch {
	case x.hi < y.hi:
		return -1
	case x.hi > y.hi:
		return 1
	}
	return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
}
