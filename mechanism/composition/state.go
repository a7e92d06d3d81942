package composition

import (
	"math"
	"math/big"
	"slices"
	"sync"
)

// near is more than floats are off by, relatively: an entry of like by less than 6 units a
// draw, a sum by one a letter, and there are at most 65,535 of either.
const near = 1e-9

// least is the smallest entry that floats are used of.
const least = 1e-200

// A State is what an observer has of the records that share a published
// history. What it says never changes, and all goroutines may share it.
type State struct {
	series *Series
	parent *State // nil of a record of which nothing was published
	seen   []cell // what the letters give of the output that was published last

	like   []float64 // L over the support, up to one factor; 0 exactly where L is 0
	unsure bool      // an entry of it is smaller than floats are used of
	lo, hi float64   // enclose the factor; 0 where visible
	factor func() *big.Rat

	// What was asked before, under the lock of the series.
	next   map[[2]int32]*State // by channel and output
	action map[int]Action      // by channel
}

func (s *Series) state(parent *State, like []float64) *State {
	st := &State{series: s, parent: parent, like: like, next: map[[2]int32]*State{}, action: map[int]Action{}}
	st.factor = sync.OnceValue(func() *big.Rat { return st.exactly(nil) })
	return st
}

// After is the state once an output was published under a channel of which
// nothing was published before; where the channel's total has the last output
// shown again, that tells nothing new. Another output under a channel of the history
// is a change: the caller compares them, as the same output tells nothing new
// and another one makes the state Visible (see Changed).
func (st *State) After(channel int, output int32) *State {
	s, columns := st.series, st.series.channel[channel].column
	switch {
	case st.Visible() || int(output) >= len(columns): // an output of no design: nothing can give it
		return s.changed
	case st.Decide(channel) == Keep:
		return st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := [2]int32{int32(channel), output}
	if c := st.next[at]; c != nil {
		return c
	}
	c := st.after(columns[output])
	if s.room -= 8*len(s.support) + 512; s.room < 0 {
		s.begin()
	}
	st.next[at] = c
	return c
}

// Changed is the state of a record that showed two outputs under one channel.
func (st *State) Changed() *State { return st.series.changed }

// Visible reports that no constant letter gives these outputs: the letter
// changed, the observer knows it, and no factor bounds what that tells.
func (st *State) Visible() bool { return st.hi == 0 }

// Factor is max_x L(x) / sum_x P_x L(x), exactly; nil where the state is
// Visible. The caller must not change it.
func (st *State) Factor() *big.Rat {
	if st.Visible() {
		return nil
	}
	return st.factor()
}

// after multiplies by a column, and by what makes the largest entry 1.
func (st *State) after(column []cell) *State {
	c := st.series.state(st, make([]float64, len(st.like)))
	c.seen, c.unsure = column, st.unsure
	c.lo, c.hi = st.times(column)
	most := 0.0
	for _, e := range column {
		c.like[e.i] = e.p * st.like[e.i] // at least 1e-200 2^-62 where it is not 0
		most = max(most, c.like[e.i])
	}
	for i, v := range c.like {
		if v > 0 {
			if c.like[i] = v / most; c.like[i] < least {
				c.like[i], c.unsure = least, true
			}
		}
	}
	return c
}

// times encloses the factor once a column was seen; 0, 0 where the likelihood is then 0
// everywhere.
func (st *State) times(column []cell) (lo, hi float64) {
	most, mean := 0.0, 0.0
	for _, e := range column {
		v := st.like[e.i] * e.p
		most = max(most, v)
		mean += v * st.series.prob[e.i]
	}
	switch f := most / mean; {
	case most == 0:
		return 0, 0
	case st.unsure:
		return 1, math.Inf(1)
	default:
		return max(1, f*(1-near)), f * (1 + near)
	}
}

// exactly is the factor once a column was seen, of the state itself for nil.
func (st *State) exactly(column []cell) *big.Rat {
	s := st.series
	like := slices.Repeat([]*big.Rat{big.NewRat(1, 1)}, len(s.support))
	for seen := column; ; st, seen = st.parent, st.seen {
		if seen != nil {
			rest := slices.Repeat([]*big.Rat{new(big.Rat)}, len(like))
			for _, e := range seen {
				rest[e.i] = new(big.Rat).Mul(like[e.i], big.NewRat(e.weight, e.total))
			}
			like = rest
		}
		if st.parent == nil {
			break
		}
	}
	most, mean := new(big.Rat), new(big.Rat)
	for i, v := range like {
		if v.Cmp(most) > 0 {
			most = v
		}
		mean.Add(mean, new(big.Rat).Mul(v, s.prior.Probability(int(s.support[i]))))
	}
	return mean.Quo(most, mean)
}
