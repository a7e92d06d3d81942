package releases

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/draw"
)

// TestSeen: what goroutines add more than once is found whoever added it, the
// least first, and nothing else is.
func TestSeen(t *testing.T) {
	name := func(i int) draw.Name {
		sum := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i)))
		return draw.Name(sum[:16])
	}
	const names = 300_000 // more than a chunk of each shard
	for _, every := range []int{0, 1000, 99_999} {
		var s Seen
		var wait sync.WaitGroup
		for g := range 3 {
			wait.Go(func() {
				l := s.Looker()
				defer l.Close()
				for i := g; i < names; i += 3 {
					l.Add(HeadOf(name(i)))
				}
				if g == 1 {
					for i := 1; every > 0 && i < names; i += every {
						l.Add(HeadOf(name(i)))
						l.Add(HeadOf(name(i)))
					}
				}
			})
		}
		wait.Wait()
		var want []Head
		for i := 1; every > 0 && i < names; i += every {
			want = append(want, HeadOf(name(i)))
		}
		slices.Sort(want)
		want = want[:min(5, len(want))]
		if got := slices.Sorted(maps.Keys(s.Twice(5, 2))); !slices.Equal(got, want) {
			t.Errorf("every %d: heads %x stand twice, want %x", every, got, want)
		}
	}
}
