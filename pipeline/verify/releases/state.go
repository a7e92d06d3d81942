package releases

import (
	"math"
	"math/big"
)

// unit is the relative error of a rounding, with room to spare.
const unit = 0x1p-52

// A State is what the outputs of a record tell so far.
type State struct {
	Last    Symbol
	Visible bool    // no constant letter gives these outputs
	Factor  float64 // 0 where Visible
	Slack   float64 // relative error of Factor

	root     *root
	parent   *State
	seen     [][]cell // whose sum was seen; nil where nothing new was told
	like     []float64
	err      float64
	exact    []*big.Rat
	value    *big.Rat
	next     map[[2]int]*State
	decision map[int]*Decision
}

// Changed is the state after another output of a channel that was seen.
func (s *State) Changed() *State {
	return &State{Last: s.Last, Visible: true, root: s.root}
}

// After is the state after a symbol was published through a channel that is
// new to the record.
func (s *State) After(channel int, y Symbol) *State {
	return s.to(channel, y, func() *State {
		if s.Visible {
			return &State{Last: y, Visible: true, root: s.root}
		}
		d := s.Decide(channel)
		c := &State{root: s.root, parent: s, Last: y, err: s.err}
		if d.Action == Fixed {
			if y == d.Symbol {
				c.like, c.Factor, c.Slack, c.value = s.like, s.Factor, s.Slack, s.value
				return c
			}
			c.Visible = true
			return c
		}
		c.seen = d.columns(y)
		c.like, c.err = s.times(c.seen)
		c.Factor, c.Slack = s.root.factor(c.like, c.err)
		c.Visible = c.Factor == 0
		return c
	})
}

func (s *State) to(channel int, y Symbol, make1 func() *State) *State {
	key := [2]int{channel, int(y)}
	if c := s.next[key]; c != nil {
		return c
	}
	c := make1()
	if s.next == nil {
		s.next = map[[2]int]*State{}
	}
	s.next[key] = c
	s.root.world.room -= len(c.like) + 32
	return c
}

// times is the likelihood after the sum of some columns was seen, scaled so
// that its largest entry is 1. Its error is infinite where an entry would be
// too small for a float.
func (s *State) times(columns [][]cell) (like []float64, err float64) {
	like = make([]float64, len(s.like))
	for _, column := range columns {
		for _, c := range column {
			like[c.i] += c.p
		}
	}
	most := 0.0
	for i := range like {
		like[i] *= s.like[i]
		most = max(most, like[i])
	}
	err = s.err + float64(len(columns)+4)*unit
	for i, v := range like {
		if v > 0 {
			if like[i] = v / most; like[i] < 1e-250 {
				like[i], err = 1e-250, math.Inf(1)
			}
		}
	}
	return like, err
}

// factor is max L / sum P L, 0 where L is 0.
func (r *root) factor(like []float64, err float64) (f, slack float64) {
	most, mean := 0.0, 0.0
	for i, v := range like {
		most = max(most, v)
		mean += r.prob[i] * v
	}
	if most == 0 {
		return 0, 0
	}
	return most / mean, 3*err + float64(len(like)+8)*unit
}

// likelihood is L as fractions, up to one factor.
func (s *State) likelihood() []*big.Rat {
	switch {
	case s.exact != nil:
	case s.parent == nil:
		for range s.root.letters {
			s.exact = append(s.exact, big.NewRat(1, 1))
		}
	case s.seen == nil:
		s.exact = s.parent.likelihood()
	default:
		s.exact = seen(s.parent.likelihood(), s.seen)
	}
	return s.exact
}

func seen(like []*big.Rat, columns [][]cell) []*big.Rat {
	out := make([]*big.Rat, len(like))
	for _, column := range columns {
		for _, c := range column {
			if out[c.i] == nil {
				out[c.i] = new(big.Rat)
			}
			out[c.i].Add(out[c.i], big.NewRat(c.weight, c.total))
		}
	}
	for i := range out {
		if out[i] == nil {
			out[i] = new(big.Rat)
		}
		out[i].Mul(out[i], like[i])
	}
	return out
}

// Exact is the factor as a fraction, nil where it is Visible.
func (s *State) Exact() *big.Rat {
	if s.value == nil && !s.Visible {
		s.value = s.root.ratio(s.likelihood())
	}
	return s.value
}

func (r *root) ratio(like []*big.Rat) *big.Rat {
	most, mean, term := new(big.Rat), new(big.Rat), new(big.Rat)
	for i, v := range like {
		if v.Cmp(most) > 0 {
			most = v
		}
		mean.Add(mean, term.Mul(v, r.exact[i]))
	}
	return new(big.Rat).Quo(most, mean)
}
