package night

import (
	"bytes"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/mechanism/draw"
)

// Seen collects the names of records and finds those that stand twice, in 16
// bytes each and a little more. Names are added from many goroutines.
type Seen struct{ shards [256]seenShard }

type seenShard struct {
	sync.Mutex
	chunks [][]draw.Name
}

// seenChunk is the length of a chunk, so that lists grow without being copied.
const seenChunk = 1 << 10

// Add notes a name.
func (s *Seen) Add(n draw.Name) {
	h := &s.shards[n[0]]
	h.Lock()
	defer h.Unlock()
	if last := len(h.chunks) - 1; last < 0 || len(h.chunks[last]) == seenChunk {
		h.chunks = append(h.chunks, make([]draw.Name, 0, seenChunk))
	}
	last := len(h.chunks) - 1
	h.chunks[last] = append(h.chunks[last], n)
}

// Twice gives the names that were added more than once, at most limit of them,
// and forgets all.
func (s *Seen) Twice(limit int) map[draw.Name]bool {
	twice := map[draw.Name]bool{}
	var all []draw.Name
	for i := range s.shards {
		all = all[:0]
		for _, c := range s.shards[i].chunks {
			all = append(all, c...)
		}
		s.shards[i].chunks = nil
		slices.SortFunc(all, func(a, b draw.Name) int { return bytes.Compare(a[:], b[:]) })
		for j := 1; j < len(all) && len(twice) < limit; j++ {
			if all[j] == all[j-1] {
				twice[all[j]] = true
			}
		}
	}
	return twice
}
