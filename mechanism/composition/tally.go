package composition

import (
	"maps"
	"math"
	"math/big"
	"slices"
)

// A Tally sums up the cumulative factors of many records. It belongs to one
// goroutine.
type Tally struct {
	Records int64 // with a factor
	Visible int64 // records with none, because a change is visible

	best  Peak
	known map[int32]int64 // records by nats, in thousandths, rounded up
}

// Add counts n records of a state.
func (t *Tally) Add(st *State, n int64) {
	if st.Visible() {
		t.Visible += n
		return
	}
	t.Records += n
	if t.known == nil {
		t.known = map[int32]int64{}
	}
	t.known[st.thousandths()] += n
	t.best.Add(st)
}

// Largest is the largest factor, exactly; nil without records.
func (t *Tally) Largest() *big.Rat { return t.best.Factor() }

// AtMost is the nats that a share of the records does not pass, in thousandths
// rounded up: AtMost(0.5) is an upper median. It is 0 without records.
func (t *Tally) AtMost(share float64) float64 {
	left := int64(math.Ceil(share * float64(t.Records)))
	for _, k := range slices.Sorted(maps.Keys(t.known)) {
		if left -= t.known[k]; left <= 0 {
			return float64(k) / 1000
		}
	}
	return 0
}

// thousandths is the log of the factor, rounded up except for a billionth of a
// nat: the upper end of a factor 1 is above 1 and counts as 0.
func (st *State) thousandths() int32 {
	f := st.hi
	if math.IsInf(f, 1) {
		f, _ = st.Factor().Float64()
	}
	return int32(math.Ceil(math.Log(f)*1000 - 1e-6))
}

// A Peak is the state of the largest factor among many. It belongs to one
// goroutine; Merge joins those of several.
type Peak struct{ best *State }

// Add takes a state; a Visible one has no factor.
func (p *Peak) Add(st *State) {
	switch {
	case st.Visible():
	case p.best == nil || st.lo > p.best.hi:
		p.best = st
	case st == p.best || st.hi < p.best.lo:
	case st.Factor().Cmp(p.best.Factor()) > 0:
		p.best = st
	}
}

// Merge adds another peak.
func (p *Peak) Merge(o Peak) {
	if o.best != nil {
		p.Add(o.best)
	}
}

// Factor is the largest factor, exactly; nil without a state that has one.
func (p *Peak) Factor() *big.Rat {
	if p.best == nil {
		return nil
	}
	return p.best.Factor()
}
