package composition

import (
	"math"
	"math/big"
	"sync"
	"sync/atomic"
)

// A State is what an observer has of the records that share a published
// history. It is immutable and may be shared by all goroutines.
type State struct {
	series  *Series
	parent  *State
	channel int
	output  int32
	kept    bool

	like   []float64 // L over the support, up to one factor; 0 exactly where L is 0
	err    float64   // relative error of its entries; +Inf where floats are of no use
	lo, hi float64   // enclose the factor; 0 where visible

	once    sync.Once
	exactly []*big.Rat // L over the support
	factor  *big.Rat
	decided []atomic.Uint32            // by channel, one more than the Action; 0 before it is decided
	next    []atomic.Pointer[children] // by channel
}

// children are the states after one more channel, by output.
type children []atomic.Pointer[State]

// After is the state once an output was published under a channel of which
// nothing was published before; where the channel's total has the last output
// shown again, that tells nothing new. Another output under a channel of the history
// is a change: the caller compares them, as the same output tells nothing new
// and another one makes the state Visible (see Changed).
func (st *State) After(channel int, output int32) *State {
	s := st.series
	switch {
	case st.Visible() || int(output) >= len(s.channel[channel].column): // an output of no design: nothing can give it
		return s.changed
	case st.Decide(channel) == Keep:
		return st
	}
	kids := st.children(channel)
	if kids == nil {
		return st.make(channel, output)
	}
	if c := kids[output].Load(); c != nil {
		return c
	}
	c := st.make(channel, output)
	if c.kept = s.take(8*len(s.support) + 24*len(s.channel) + 256); !c.kept || kids[output].CompareAndSwap(nil, c) {
		return c
	}
	return kids[output].Load()
}

// children are those of a channel; nil where there is no room to keep them.
func (st *State) children(channel int) children {
	if kids := st.next[channel].Load(); kids != nil {
		return *kids
	}
	outputs := len(st.series.channel[channel].column)
	if !st.kept || !st.series.take(8*outputs) {
		return nil
	}
	fresh := make(children, outputs)
	st.next[channel].CompareAndSwap(nil, &fresh)
	return *st.next[channel].Load()
}

// take reserves bytes for what is kept; false where there is no room.
func (s *Series) take(bytes int) bool {
	if s.room.Add(-int64(bytes)) >= 0 {
		return true
	}
	s.room.Add(int64(bytes))
	return false
}

// Changed is the state of a record that showed two outputs under one channel.
func (st *State) Changed() *State { return st.series.changed }

// Visible reports that no constant letter gives these outputs: the letter
// changed, the observer knows it, and no factor bounds what that tells.
func (st *State) Visible() bool { return st.hi == 0 }

// Factor is max_x L(x) / sum_x P_x L(x), exactly; nil where the state is
// Visible. The caller must not change it.
func (st *State) Factor() *big.Rat {
	st.once.Do(st.settle)
	return st.factor
}

func (s *Series) state(parent *State) *State {
	return &State{series: s, parent: parent, like: make([]float64, len(s.support)),
		decided: make([]atomic.Uint32, len(s.channel)), next: make([]atomic.Pointer[children], len(s.channel))}
}

// make multiplies by p(output|x): one product for every entry.
func (st *State) make(channel int, output int32) *State {
	s := st.series
	c := s.state(st)
	c.channel, c.output, c.err = channel, output, st.err+9*unit
	for _, e := range s.channel[channel].column[output] {
		if v := st.like[e.i]; v > 0 {
			c.like[e.i] = e.p * v // at least 1e-200 2^-62
		}
	}
	c.scale()
	c.lo, c.hi = s.alone(c.like, c.err)
	return c
}

// scale brings the largest entry to between 1/2 and 1, by a power of two.
func (st *State) scale() {
	most := 0.0
	for _, v := range st.like {
		most = max(most, v)
	}
	if most == 0 {
		return
	}
	_, e := math.Frexp(most)
	for i, v := range st.like {
		if v > 0 {
			if st.like[i] = math.Ldexp(v, -e); st.like[i] < 1e-200 {
				st.like[i], st.err = 1e-200, math.Inf(1)
			}
		}
	}
}

// alone encloses the factor of like with outward rounding: a sum of n positive
// terms of a relative error e has one of at most e + n unit to first order, and
// doubling covers the rest. It is 0, 0 where the likelihood is 0 everywhere.
func (s *Series) alone(like []float64, err float64) (lo, hi float64) {
	most, sum := 0.0, 0.0
	for i, v := range like {
		most = max(most, v)
		sum += v * s.prob[i]
	}
	return around(most, sum, err, len(like))
}

// times is alone for like times a column.
func (s *Series) times(like []float64, column []cell, err float64) (lo, hi float64) {
	most, sum := 0.0, 0.0
	for _, e := range column {
		v := like[e.i] * e.p
		most = max(most, v)
		sum += v * s.prob[e.i]
	}
	return around(most, sum, err+5*unit, len(column))
}

func around(most, sum, err float64, n int) (lo, hi float64) {
	if most == 0 {
		return 0, 0
	}
	if err = 2 * (2*err + float64(n+16)*unit); !(err < 0.1) {
		return 1, math.Inf(1)
	}
	f := most / sum
	return max(1, f*(1-err)), f * (1 + err)
}

// settle computes what is exact about a state.
func (st *State) settle() {
	if st.Visible() {
		return
	}
	st.exactly = st.likelihood()
	most, sum := st.series.ratio(st.exactly, nil)
	st.factor = most.Quo(most, sum)
}

// exact is L over the support; nil where the state is Visible.
func (st *State) exact() []*big.Rat {
	st.once.Do(st.settle)
	return st.exactly
}

func (st *State) likelihood() []*big.Rat {
	s := st.series
	like := make([]*big.Rat, len(s.support))
	if st.parent == nil {
		for i := range like {
			like[i] = big.NewRat(1, 1)
		}
		return like
	}
	before := st.parent.exact()
	for i := range like {
		like[i] = new(big.Rat)
	}
	for _, e := range s.channel[st.channel].column[st.output] {
		like[e.i].Mul(e.exact(), before[e.i])
	}
	return like
}

// ratio is the maximum and the mean of like times a column (of like alone for
// nil).
func (s *Series) ratio(like []*big.Rat, column map[int32]*big.Rat) (most, mean *big.Rat) {
	most, mean = new(big.Rat), new(big.Rat)
	for i, l := range like {
		v := l
		if column != nil {
			p, ok := column[int32(i)]
			if !ok {
				continue
			}
			v = new(big.Rat).Mul(l, p)
		}
		if v.Cmp(most) > 0 {
			most.Set(v)
		}
		if v.Sign() > 0 {
			mean.Add(mean, new(big.Rat).Mul(v, s.prior.Probability(int(s.support[i]))))
		}
	}
	return most, mean
}
