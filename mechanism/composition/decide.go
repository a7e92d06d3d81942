package composition

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
	c := st.series.channel[channel]
	if c.Total == nil {
		return Draw
	}
	st.series.mu.Lock()
	defer st.series.mu.Unlock()
	a, known := st.action[channel]
	if !known {
		a = st.decide(c)
		st.action[channel] = a
	}
	return a
}

func (st *State) decide(c *prepared) Action {
	if st.Visible() {
		return Keep
	}
	for _, column := range c.column {
		if lo, hi := st.times(column); hi == 0 || hi < c.total*(1-near) {
			continue
		} else if lo <= c.total*(1+near) && c.Total.Admits(st.exactly(column)) {
			continue
		}
		if st.parent == nil {
			return Refused
		}
		return Keep
	}
	return Draw
}
