package composition

import (
	"math/big"
)

// An Action is what happens tonight to the records of a state.
type Action uint8

// The actions.
const (
	Draw    Action = iota // draw, and publish the output
	Keep                  // show the last output again, without a draw
	Refused               // publish nothing: there is no last output
)

// Decide applies the channel's total to a record in this state, by the published history
// alone and before any draw, so that it tells nothing that the history does not. The record
// is drawn where every output that can occur keeps the total, and shows its last output again
// where one does not, or where its change is Visible.
func (st *State) Decide(channel int) Action {
	if a := st.decided[channel].Load(); a > 0 {
		return Action(a - 1)
	}
	a := st.decide(st.series.channel[channel])
	st.decided[channel].Store(uint32(a) + 1)
	return a
}

func (st *State) decide(c *prepared) Action {
	switch {
	case c.Total == nil:
		return Draw
	case st.Visible():
		return Keep
	case st.ceiling() <= c.low:
		return Draw
	}
	for _, column := range c.column {
		if lo, hi := st.series.times(st.like, column, st.err); hi == 0 || st.within(c, lo, hi, column) {
			continue
		}
		if st.parent == nil {
			return Refused
		}
		return Keep
	}
	return Draw
}

// ceiling bounds from above what any outputs can ever tell from here on: one
// over the least probability among the letters that are still possible.
func (st *State) ceiling() float64 {
	least := 1.0
	for i, v := range st.like {
		if v > 0 {
			least = min(least, st.series.prob[i])
		}
	}
	return (1 + 16*unit) / least
}

// within reports whether the factor after a column is within the channel's
// total: by its enclosure where that tells, else exactly.
func (st *State) within(c *prepared, lo, hi float64, column []cell) bool {
	switch {
	case hi <= c.low:
		return true
	case lo > c.high:
		return false
	}
	return c.Total.Admits(st.factorAfter(column))
}

// factorAfter is the factor once a column was seen.
func (st *State) factorAfter(column []cell) *big.Rat {
	at := make(map[int32]*big.Rat, len(column))
	for _, e := range column {
		at[e.i] = e.exact()
	}
	most, mean := st.series.ratio(st.exact(), at)
	return most.Quo(most, mean)
}

// Worst is the largest factor that a record of this state can have after a night of the
// channel, over everything that may be published: what a reservation takes. It is nil where
// nothing can be published or no factor holds (a Refused night, a Visible state). Outputs whose
// enclosure reaches the largest lower end are decided exactly.
func (st *State) Worst(channel int) (worst *big.Rat) {
	switch a := st.Decide(channel); {
	case st.Visible() || a == Refused:
		return nil
	case a == Keep:
		return st.Factor()
	}
	c := st.series.channel[channel]
	high, most := make([]float64, len(c.column)), 0.0
	for y, column := range c.column {
		lo, hi := st.series.times(st.like, column, st.err)
		high[y], most = hi, max(most, lo)
	}
	for y, column := range c.column {
		if high[y] == 0 || high[y] < most {
			continue
		}
		if f := st.factorAfter(column); worst == nil || f.Cmp(worst) > 0 {
			worst = f
		}
	}
	return worst
}
