package composition

import (
	"fmt"
	"math"
	"math/big"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Kept is how many bytes of states a Series remembers. States beyond are made
// again for every record that needs them.
const Kept = 256 << 20

// A Series holds the records that have one first plan. It may be used by many
// goroutines.
type Series struct {
	prior   mechanism.Prior
	letters int
	support []int32   // letters with records
	prob    []float64 // P_x over the support, within a relative 2u
	channel []*prepared
	start   *State
	changed *State       // of all records that no letter explains
	room    atomic.Int64 // bytes left for states
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
	s.room.Store(Kept)
	s.changed, s.start = s.state(nil), s.state(nil)
	for i := range s.start.like {
		s.start.like[i] = 1
	}
	s.start.lo, s.start.hi = 1, 1
	s.start.kept = true
	return s, nil
}

// Start is the state of a record of which nothing was published.
func (s *Series) Start() *State { return s.start }

func ceiling(p mechanism.Prior) *big.Rat {
	_, least := p.Least()
	return big.NewRat(p.Total(), least)
}

// unit is the relative error of one rounding.
const unit = 0x1p-53

// enclose gives floats around a positive fraction that is itself within a
// relative 2^-64 of what it stands for.
func enclose(f *big.Rat) (low, high float64) {
	v, _ := f.Float64()
	return math.Nextafter(v, 0) * (1 - 2*unit), math.Nextafter(v, math.Inf(1)) * (1 + 2*unit)
}
