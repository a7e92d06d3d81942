package releases

import (
	"math/big"
)

// enough is how many candidates are compared as fractions. Those of large
// designs may be equal by the thousands.
const enough = 2000

// A Peak finds the largest of many factors: floats rule most of them out, and
// fractions decide among the rest.
type Peak struct {
	least float64 // the largest is at least this
	list  []candidate
	known map[*State]bool
	from  map[*Peak]bool
}

type candidate struct {
	most  float64
	exact func() *big.Rat
}

// add takes a factor; 0 is none.
func (p *Peak) add(f, slack float64, exact func() *big.Rat) {
	if f == 0 {
		return
	}
	if !(slack < 0.1) { // floats are of no use
		f, _ = exact().Float64()
		slack = 2 * unit
	}
	if f*(1+slack) < p.least {
		return
	}
	p.list = append(p.list, candidate{f * (1 + slack), exact})
	if low := f * (1 - slack); low > p.least {
		p.least = low
		p.drop()
	}
}

func (p *Peak) drop() {
	n := 0
	for _, c := range p.list {
		if c.most >= p.least {
			p.list[n] = c
			n++
		}
	}
	p.list = p.list[:n]
}

// State takes the factor of a state.
func (p *Peak) State(s *State) {
	if s.Visible || s.Factor*(1+s.Slack) < p.least || p.known[s] {
		return
	}
	if p.known == nil {
		p.known = map[*State]bool{}
	}
	p.known[s] = true
	p.add(s.Factor, s.Slack, s.Exact)
}

func (p *Peak) merge(o *Peak) {
	if p.from[o] {
		return
	}
	if p.from == nil {
		p.from = map[*Peak]bool{}
	}
	p.from[o] = true
	if o.least > p.least {
		p.least = o.least
		p.drop()
	}
	for _, c := range o.list {
		if c.most >= p.least {
			p.list = append(p.list, c)
		}
	}
}

// Exact is the largest factor, nil where there is none. all is false where
// candidates were left out: they exceed it by no more than floats can tell.
func (p *Peak) Exact() (f *big.Rat, all bool) {
	for i, c := range p.list {
		if i == enough {
			return f, false
		}
		if v := c.exact(); f == nil || v.Cmp(f) > 0 {
			f = v
		}
	}
	return f, true
}
