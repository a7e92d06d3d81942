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
	Merge                 // draw, and publish the output where Admits says so, else Symbol
	Fixed                 // publish Symbol without a draw
	Refused               // publish nothing, tonight or for anyone
)

// A Decision is taken from the published history alone, before any draw, so
// that it tells nothing that the history does not. Records whose Action is not
// Draw are held: they are outside floor and fit. Where it is Draw, an output
// that is not published as itself comes from a letter that changed: the record
// is held, but its draw belongs to the fit, as leaving it out for what was
// drawn would bend the law of the others.
type Decision struct {
	Action Action
	Symbol Symbol // of Merge and Fixed

	state   *State
	channel *prepared
	barred  []bool // by output; nil bars none

	once   sync.Once
	worst  *big.Rat
	single sync.Once
	alone  *big.Rat
}

// Decide applies the channel's rule to a record in this state: let A be the
// outputs within the total. If every output that can occur is in A, it is a
// draw. Otherwise an output outside of A is published as a fixed symbol s, and
// the history knows the channel p'(s|x) = [s in A] p(s|x) + sum over y not in A
// of p(y|x); if s would then pass the total itself, it is published without a
// draw. An output that no constant letter can give any more is not in A: a
// record whose letter changed does not show it that way.
func (st *State) Decide(channel int) *Decision {
	if d := st.decision[channel].Load(); d != nil {
		return d
	}
	d := st.decide(st.series.channel[channel])
	if !st.decision[channel].CompareAndSwap(nil, d) {
		return st.decision[channel].Load()
	}
	return d
}

// Publish is the symbol that stands for output y.
func (d *Decision) Publish(y int32) Symbol {
	if d.Action == Fixed || d.barred != nil && d.barred[y] {
		return d.Symbol
	}
	return d.channel.symbol(y)
}

func (st *State) decide(c *prepared) *Decision {
	d := &Decision{state: st, channel: c}
	if c.Rule == nil {
		return d
	}
	d.Symbol = c.Rule.Suppressed
	if c.Rule.Over == Repeat {
		d.Symbol = st.last
	}
	refused := c.Rule.Over == Refuse || d.Symbol == None
	if st.Visible() {
		d.Action = Fixed
		if refused {
			d.Action = Refused
		}
		return d
	}
	over := false // some output that can occur passes the total
	free := st.ceiling() <= c.low
	for y, column := range c.column {
		if free {
			if !st.can(column) {
				d.bar(y)
			}
			continue
		}
		lo, hi := st.series.times(st.like, column, st.err)
		switch {
		case hi == 0:
			d.bar(y)
		case !st.within(c, lo, hi, [][]cell{column}):
			d.bar(y)
			over = true
		}
	}
	switch {
	case d.barred == nil:
	case !over:
		// Only outputs that cannot occur are barred: still a draw.
		if refused {
			d.barred = nil
		}
	case refused:
		d.Action, d.barred = Refused, nil
	case st.fixes(d):
		d.Action, d.barred = Fixed, nil
	default:
		d.Action = Merge
	}
	return d
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

// can reports whether a letter that is still possible gives an output.
func (st *State) can(column []cell) bool {
	for _, e := range column {
		if st.like[e.i] > 0 {
			return true
		}
	}
	return false
}

func (d *Decision) bar(y int) {
	if d.barred == nil {
		d.barred = make([]bool, len(d.channel.column))
	}
	d.barred[y] = true
}

// fixes reports whether the merged symbol passes the total.
func (st *State) fixes(d *Decision) bool {
	var merged [][]cell
	d.each(d.Symbol, func(column []cell) { merged = append(merged, column) })
	lo, hi := st.series.merged(st, merged)
	return hi != 0 && !st.within(d.channel, lo, hi, merged)
}

// each calls f with the columns of the outputs that are published as symbol.
func (d *Decision) each(symbol Symbol, f func(column []cell)) {
	if y, ok := d.channel.output[symbol]; ok && (d.barred == nil || !d.barred[y]) {
		f(d.channel.column[y])
	}
	if d.barred != nil && symbol == d.Symbol {
		for y, barred := range d.barred {
			if barred {
				f(d.channel.column[y])
			}
		}
	}
}

// within reports whether a factor is within the channel's total: by its
// enclosure where that tells, else exactly.
func (st *State) within(c *prepared, lo, hi float64, columns [][]cell) bool {
	switch {
	case hi <= c.low:
		return true
	case lo > c.high:
		return false
	}
	return c.Rule.Total.Admits(st.exactFactor(columns))
}

// merged encloses the factor once the sum of some columns was seen.
func (s *Series) merged(st *State, columns [][]cell) (lo, hi float64) {
	if len(columns) == 1 {
		return s.times(st.like, columns[0], st.err)
	}
	sum := make([]float64, len(st.like))
	for _, column := range columns {
		for _, e := range column {
			sum[e.i] += e.p
		}
	}
	for i := range sum {
		sum[i] *= st.like[i]
	}
	return s.alone(sum, st.err+float64(len(columns)+8)*unit)
}

// exactFactor is the factor once the sum of some columns was seen.
func (st *State) exactFactor(columns [][]cell) *big.Rat {
	sum := map[int32]*big.Rat{}
	for _, column := range columns {
		for _, e := range column {
			if sum[e.i] == nil {
				sum[e.i] = new(big.Rat)
			}
			sum[e.i].Add(sum[e.i], e.exact())
		}
	}
	most, mean := st.series.ratio(st.exact(), sum)
	return most.Quo(most, mean)
}
