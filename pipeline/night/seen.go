package night

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/mechanism/draw"
)

// A Head is the first half of a name. Two records of ten million share one with
// a chance of 3e-6, two rows of one record always.
type Head uint64

// HeadOf is the head of a name.
func HeadOf(n draw.Name) Head { return Head(binary.BigEndian.Uint64(n[:])) }

// Seen collects the names of records and finds those that may stand twice, in 8
// bytes each and a little more.
type Seen struct{ shards [256]seenShard }

type seenShard struct {
	sync.Mutex
	chunks [][]Head
}

// seenChunk is the length of a chunk, so that lists grow without being copied.
const seenChunk = 1 << 10

// A Looker adds names for one goroutine.
type Looker struct {
	seen   *Seen
	shards [256][]Head
}

// Looker is a Looker for one goroutine, which ends it with Close.
func (s *Seen) Looker() *Looker { return &Looker{seen: s} }

// Add notes a name.
func (l *Looker) Add(n draw.Name) {
	list := &l.shards[n[0]]
	if len(*list) == cap(*list) {
		l.hand(n[0])
		*list = make([]Head, 0, seenChunk)
	}
	*list = append(*list, HeadOf(n))
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
			var all []Head
			for i := int(next.Add(1)) - 1; i < len(s.shards); i = int(next.Add(1)) - 1 {
				all = all[:0]
				for _, c := range s.shards[i].chunks {
					all = append(all, c...)
				}
				s.shards[i].chunks = nil
				slices.Sort(all)
				for j := 1; j < len(all) && len(twice[i]) < limit; j++ {
					if all[j] == all[j-1] && (j == 1 || all[j] != all[j-2]) {
						twice[i] = append(twice[i], all[j])
					}
				}
			}
		})
	}
	wait.Wait()
	least := map[Head]bool{}
	for _, list := range twice {
		for _, h := range list {
			if len(least) < limit {
				least[h] = true
			}
		}
	}
	return least
}
