package composition

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/mechanism"
)

// kept is how many bytes of states a Series remembers, about; then it forgets all of them.
const kept = 256 << 20

// A Series holds the records that have one first plan. It may be used by many
// goroutines.
type Series struct {
	prior   mechanism.Prior
	letters int
	support []int32   // letters with records
	prob    []float64 // P_x over the support, within a relative 2u
	channel []*prepared
	changed *State // of all records that no letter explains

	mu    sync.Mutex // of what follows, and of what states remember
	start *State
	room  int // bytes left for states
}

// New takes the prior of the records' first plan and all channels under which
// they were or will be published. The first plan itself is one of them.
func New(p mechanism.Prior, channels []Channel) (*Series, error) {
	if p.Total() == 0 {
		return nil, fmt.Errorf("the prior of the first plan has no records")
	}
	s := &Series{prior: p, letters: p.Letters()}
	for x := range s.letters {
		if c := p.Count(x); c > 0 {
			s.support = append(s.support, int32(x))
			s.prob = append(s.prob, float64(c)/float64(p.Total()))
		}
	}
	for i, c := range channels {
		q, err := s.prepare(c)
		if err != nil {
			return nil, fmt.Errorf("channel %d: %w", i, err)
		}
		s.channel = append(s.channel, q)
	}
	s.changed = s.state(nil, nil)
	s.begin()
	return s, nil
}

// begin forgets all states.
func (s *Series) begin() {
	s.start, s.room = s.state(nil, slices.Repeat([]float64{1}, len(s.support))), kept
	s.start.lo, s.start.hi = 1, 1
}

// Start is the state of a record of which nothing was published.
func (s *Series) Start() *State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start
}

func ceiling(p mechanism.Prior) *big.Rat {
	_, least := p.Least()
	return big.NewRat(p.Total(), least)
}
