package composition

import (
	"math/big"
	"sync"
)

// An Action is what happens tonight to the records of a state.
type Action uint8

// The actions.
const (
	Draw    Action = iota // draw, and publish the output
	Keep                  // show the last output again, without a draw
	Refused               // publish nothing: there is no last output
)

// A Decision is taken from the published history alone, before any draw, so
// that it tells nothing that the history does not.
type Decision struct {
	Action Action

	state   *State
	channel *prepared
	once    sync.Once
	worst   *big.Rat
}

// Decide applies the channel's total to a record in this state: it is drawn
// where every output that can occur keeps the total, and shows its last output
// again where one does not, or where its change is Visible.
func (st *State) Decide(channel int) *Decision {
	if d := st.decision[channel].Load(); d != nil {
		return d
	}
	c := st.series.channel[channel]
	d := &Decision{Action: st.decide(c), state: st, channel: c}
	if !st.decision[channel].CompareAndSwap(nil, d) {
		return st.decision[channel].Load()
	}
	return d
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

// Worst is the largest factor that a record of this state can have after
// tonight, over everything that may be published: what a reservation takes. It
// is nil where nothing can be published or no factor holds (a Refused night, a
// Visible state). The caller must not change it.
func (d *Decision) Worst() *big.Rat {
	d.once.Do(d.settle)
	return d.worst
}

// settle keeps the outputs whose enclosure reaches the largest lower end, and
// decides among them exactly.
func (d *Decision) settle() {
	st := d.state
	if st.Visible() || d.Action == Refused {
		return
	}
	if d.Action == Keep {
		d.worst = st.Factor()
		return
	}
	high, most := make([]float64, len(d.channel.column)), 0.0
	for y, column := range d.channel.column {
		lo, hi := st.series.times(st.like, column, st.err)
		high[y], most = hi, max(most, lo)
	}
	for y, column := range d.channel.column {
		if high[y] == 0 || high[y] < most {
			continue
		}
		if f := st.factorAfter(column); d.worst == nil || f.Cmp(d.worst) > 0 {
			d.worst = f
		}
	}
}
