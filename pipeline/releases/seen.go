package releases

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/mechanism/draw"
)

// A Head is the first half of a name, or stands for it. Two records of ten million
// share one with a chance of 3e-6, two rows of one record always.
type Head uint64

// HeadOf is the head of a name.
func HeadOf(n draw.Name) Head { return Head(binary.BigEndian.Uint64(n[:])) }

// Seen collects heads of records and finds those that stand twice, in 8 bytes each and
// a little more.
type Seen struct{ shards [256]seenShard }

type seenShard struct {
	sync.Mutex
	chunks [][]Head
}

// seenChunk is the length of a chunk, so that lists grow without being copied.
const seenChunk = 1 << 10

// A Looker adds heads for one goroutine.
type Looker struct {
	seen   *Seen
	shards [256][]Head
}

// Looker is a Looker for one goroutine, which ends it with Close.
func (s *Seen) Looker() *Looker { return &Looker{seen: s} }

// Add notes records.
func (l *Looker) Add(heads ...Head) {
	for _, h := range heads {
		list := &l.shards[h>>56]
		if len(*list) == cap(*list) {
			l.hand(byte(h >> 56))
			*list = make([]Head, 0, seenChunk)
		}
		*list = append(*list, h)
	}
}

// Close hands over what was added.
func (l *Looker) Close() {
	for i := range l.shards {
		l.hand(byte(i))
	}
}

func (l *Looker) hand(shard byte) {
	if len(l.shards[shard]) == 0 {
		return
	}
	h := &l.seen.shards[shard]
	h.Lock()
	defer h.Unlock()
	h.chunks = append(h.chunks, l.shards[shard])
	l.shards[shard] = nil
}

// Twice gives the least heads that were added more than once, limit of them, and
// forgets all.
func (s *Seen) Twice(limit, threads int) map[Head]bool {
	var twice [256][]Head
	var next atomic.Int64
	var wait sync.WaitGroup
	for range threads {
		wait.Go(func() {
			var table []Head
			for i := int(next.Add(1)) - 1; i < len(s.shards); i = int(next.Add(1)) - 1 {
				twice[i], table = s.shards[i].twice(table)
			}
		})
	}
	wait.Wait()
	least := map[Head]bool{}
	for _, list := range twice {
		slices.Sort(list)
		for _, h := range list {
			if len(least) < limit {
				least[h] = true
			}
		}
	}
	return least
}

// twice finds the heads of a shard that were added more than once, by a table
// with open addressing, and forgets all. The table's memory is used again.
func (h *seenShard) twice(table []Head) (found, used []Head) {
	n := 0
	for _, c := range h.chunks {
		n += len(c)
	}
	size := uint64(1) << bits.Len(uint(2*n))
	table = slices.Grow(table[:0], int(size))[:size]
	clear(table)
	zero := false // the head 0 stands for a free place
	for _, c := range h.chunks {
		for _, x := range c {
			if x == 0 && zero {
				found = append(found, x)
			}
			zero = zero || x == 0
			i := uint64(x) & (size - 1)
			for table[i] != 0 && table[i] != x {
				i = (i + 1) & (size - 1)
			}
			if table[i] == x && x != 0 {
				found = append(found, x)
			}
			table[i] = x
		}
	}
	h.chunks = nil
	return found, table
}
