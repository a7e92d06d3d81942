package composition

import "math/big"

// A Peak is the state of the largest factor among the records that have one. It belongs to
// one goroutine; Merge joins those of several.
type Peak struct {
	Visible int64 // records with none, because a change is visible
	best    *State
}

// Add takes a record of a state.
func (p *Peak) Add(st *State) {
	if st.Visible() {
		p.Visible++
		return
	}
	p.take(st)
}

func (p *Peak) take(st *State) {
	switch {
	case p.best == nil || st.lo > p.best.hi:
		p.best = st
	case st == p.best || st.hi < p.best.lo:
	case st.Factor().Cmp(p.best.Factor()) > 0:
		p.best = st
	}
}

// Merge adds another peak.
func (p *Peak) Merge(o Peak) {
	if p.Visible += o.Visible; o.best != nil {
		p.take(o.best)
	}
}

// Factor is the largest factor, exactly; nil without a state that has one.
func (p *Peak) Factor() *big.Rat {
	if p.best == nil {
		return nil
	}
	return p.best.Factor()
}
