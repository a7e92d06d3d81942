package releases

import "math/big"

// An Action is what a rule does with a record; docs/series.md, "The budget
// rule".
type Action int

// The actions.
const (
	Draw    Action = iota // step 2: drawn and published
	Merged                // step 3: what is not in A is published as s
	Fixed                 // step 4: s without a draw
	Refused               // step 3: the night does not take place
)

// A Decision is taken from the history alone.
type Decision struct {
	Action  Action
	Symbol  Symbol // s
	state   *State
	channel int
	barred  []bool // outputs that are published as s; nil for none
	worst   *Peak
	alone   *big.Rat // of s by this release's draw alone; nil where it is none
	known   bool     // whether alone was computed
}

// Decide applies a channel's rule to the records of a state.
func (s *State) Decide(channel int) *Decision {
	if d := s.decision[channel]; d != nil {
		return d
	}
	d := s.decide(channel)
	if s.decision == nil {
		s.decision = map[int]*Decision{}
	}
	s.decision[channel] = d
	return d
}

func (s *State) decide(channel int) *Decision {
	d := &Decision{state: s, channel: channel, Symbol: None}
	rule := s.root.world.Channels[channel].Rule
	if rule == nil {
		return d
	}
	if d.Symbol = s.root.world.Null; rule.Over != "suppress" {
		d.Symbol = s.Last
	}
	refuses := rule.Over == "refuse" || d.Symbol == None
	if s.Visible {
		if d.Action = Fixed; refuses {
			d.Action = Refused
		}
		return d
	}
	columns := s.root.columns(channel)
	s.root.world.room -= len(columns) / 8
	over := false
	barred := make([]bool, len(columns))
	some := false
	for y, column := range columns {
		f, slack := s.alone(column)
		switch {
		case f == 0: // cannot occur
		case s.within(rule, f, slack, columns[y:y+1]):
			continue
		default:
			over = true
		}
		barred[y], some = true, true
	}
	switch {
	case !over && some && !refuses:
		d.barred = barred
	case !over:
	case refuses:
		d.Action = Refused
	default:
		d.Action, d.barred = Merged, barred
		merged := d.columns(d.Symbol)
		like, err := s.times(merged)
		if f, slack := s.root.factor(like, err); f > 0 && !s.within(rule, f, slack, merged) {
			d.Action, d.barred = Fixed, nil
		}
	}
	return d
}

// alone is the factor after an output.
func (s *State) alone(column []cell) (f, slack float64) {
	most, mean := 0.0, 0.0
	for _, c := range column {
		v := s.like[c.i] * c.p
		most = max(most, v)
		mean += s.root.prob[c.i] * v
	}
	if most == 0 {
		return 0, 0
	}
	return most / mean, 3*s.err + float64(len(column)+16)*unit
}

// within compares a factor with the total, as a fraction where floats are too
// near.
func (s *State) within(rule *Rule, f, slack float64, columns [][]cell) bool {
	slack += 1e-11
	switch {
	case f*(1+slack) < rule.Factor:
		return true
	case f*(1-slack) > rule.Factor:
		return false
	}
	return rule.Admits(s.exactly(columns))
}

// exactly is the factor after the sum of some columns was seen.
func (s *State) exactly(columns [][]cell) *big.Rat {
	return s.root.ratio(seen(s.likelihood(), columns))
}

// columns are those of the outputs that are published as a symbol.
func (d *Decision) columns(y Symbol) (list [][]cell) {
	all := d.state.root.columns(d.channel)
	if at, ok := d.state.root.world.Output(d.channel, y); ok && (d.barred == nil || !d.barred[at]) {
		list = append(list, all[at])
	}
	if d.barred != nil && y == d.Symbol {
		for at, barred := range d.barred {
			if barred {
				list = append(list, all[at])
			}
		}
	}
	return list
}

// Stands reports whether a published symbol is s, which then stands for more
// than a draw; sure is false where it may be the draw of s itself.
func (d *Decision) Stands(s Symbol) (stands, sure bool) {
	return s == d.Symbol && (d.Action != Draw || d.barred != nil), d.Action != Draw
}

// Alone is the factor that s has by this release's draw alone, under the counts of
// the record's first plan; nil where no draw is published as s.
func (d *Decision) Alone() *big.Rat {
	if !d.known {
		d.known = true
		if d.Action == Merged {
			like := seen(d.state.root.start.likelihood(), d.columns(d.Symbol))
			for _, v := range like {
				if v.Sign() > 0 {
					d.alone = d.state.root.ratio(like)
					break
				}
			}
		}
	}
	return d.alone
}

// Publish is what stands for an output.
func (d *Decision) Publish(y int) Symbol {
	if d.Action == Fixed || d.barred != nil && d.barred[y] {
		return d.Symbol
	}
	w := d.state.root.world
	return w.Of(w.Channels[d.channel].Plan.Outputs[y])
}

// May reports whether a symbol may be published.
func (d *Decision) May(s Symbol) bool {
	if d.Action == Fixed || d.barred != nil && s == d.Symbol {
		return s == d.Symbol
	}
	y, ok := d.state.root.world.Output(d.channel, s)
	return ok && d.Action != Refused && (d.barred == nil || !d.barred[y])
}

// Worst adds to p the factors that a record of this state can have after
// tonight.
func (d *Decision) Worst(p *Peak) {
	s := d.state
	switch {
	case s.Visible || d.Action == Refused:
		return
	case d.Action == Fixed:
		p.State(s)
		return
	}
	if d.worst == nil {
		d.worst = &Peak{}
		if d.barred != nil {
			merged := d.columns(d.Symbol)
			like, err := s.times(merged)
			f, slack := s.root.factor(like, err)
			d.worst.add(f, slack, func() *big.Rat { return s.exactly(merged) })
		}
		for y, column := range s.root.columns(d.channel) {
			if d.barred != nil && d.Publish(y) == d.Symbol {
				continue
			}
			f, slack := s.alone(column)
			d.worst.add(f, slack, func() *big.Rat { return s.exactly([][]cell{column}) })
		}
	}
	p.merge(d.worst)
}
