package releases

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Plan is a design and the counts that it was made from.
type Plan struct {
	Inputs, Outputs []files.Label
	Rows            []exact.Row
	Count           []int64
}

// A Rule bounds the factor of every record.
type Rule struct {
	Over   string  // repeat, suppress or refuse
	Factor float64 // e^total, within a relative 1e-12
	Admits func(*big.Rat) bool
}

// A Channel is one independent draw per record.
type Channel struct {
	Plan *Plan
	Rule *Rule // nil: every draw is published
}

// A Symbol numbers labels over all channels. Null is its own.
type Symbol int

// None stands for nothing published.
const None Symbol = -1

// A World is the channels of a record history.
type World struct {
	Channels []Channel
	Null     Symbol
	symbol   map[files.Label]Symbol
	output   []map[Symbol]int // by channel
	root     map[*Plan]*root
	room     int // floats that may still be kept
}

// kept is how many floats of states are remembered before all are forgotten.
const kept = 32 << 20

// NewWorld takes the channels in the order of their numbers.
func NewWorld(channels []Channel) *World {
	w := &World{Channels: channels, symbol: map[files.Label]Symbol{}, root: map[*Plan]*root{}, room: kept}
	w.Null = w.Of(files.Label{Null: true})
	for _, c := range channels {
		place := map[Symbol]int{}
		for y, l := range c.Plan.Outputs {
			place[w.Of(l)] = y
		}
		w.output = append(w.output, place)
	}
	return w
}

// Of is the symbol of a label.
func (w *World) Of(l files.Label) Symbol {
	s, ok := w.symbol[l]
	if !ok {
		s = Symbol(len(w.symbol))
		w.symbol[l] = s
	}
	return s
}

// Output is the output of a channel that shows as a symbol, ok false for none.
func (w *World) Output(channel int, s Symbol) (y int, ok bool) {
	y, ok = w.output[channel][s]
	return y, ok
}

// A root holds the records that began under one plan.
type root struct {
	world   *World
	letters []int // with records
	prob    []float64
	exact   []*big.Rat
	column  map[int][][]cell // by channel, by output
	plan    *Plan
	start   *State
}

// A cell is the chance that a letter, by its place among those with records,
// gives an output.
type cell struct {
	i             int
	p             float64
	weight, total int64
}

// Start is the state of a record that begins under a plan.
func (w *World) Start(p *Plan) *State {
	if w.room < 0 { // forget; states at hand stay good
		w.root, w.room = map[*Plan]*root{}, kept
	}
	if r := w.root[p]; r != nil {
		return r.start
	}
	r := &root{world: w, plan: p, column: map[int][][]cell{}}
	total := exact.Sum(p.Count)
	for x, c := range p.Count {
		if c > 0 {
			r.letters = append(r.letters, x)
			r.exact = append(r.exact, big.NewRat(c, total))
			r.prob = append(r.prob, float64(c)/float64(total))
		}
	}
	r.start = &State{root: r, Last: None, Factor: 1, Slack: unit}
	for range r.letters {
		r.start.like = append(r.start.like, 1)
	}
	w.root[p] = r
	return r.start
}

// columns are the outputs of a channel over the letters of the root, which
// are matched by label; a letter that the channel lacks gives nothing.
func (r *root) columns(channel int) [][]cell {
	if c, ok := r.column[channel]; ok {
		return c
	}
	p := r.world.Channels[channel].Plan
	row := map[files.Label]int{}
	for x, l := range p.Inputs {
		row[l] = x
	}
	columns := make([][]cell, len(p.Outputs))
	for i, x := range r.letters {
		at, ok := row[r.plan.Inputs[x]]
		if !ok {
			continue
		}
		law := p.Rows[at]
		for j, y := range law.Output {
			columns[y] = append(columns[y], cell{i, float64(law.Weight[j]) / float64(law.Total), law.Weight[j], law.Total})
		}
	}
	r.column[channel] = columns
	return columns
}
