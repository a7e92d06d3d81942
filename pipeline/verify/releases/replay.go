package releases

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// near is more than floats are off by: what is nearer is compared as fractions, of which
// Peak compares enough.
const (
	near   = 1e-9
	enough = 2000
)

// A Plan is a design and the counts that it was made from.
type Plan struct {
	Inputs, Outputs []files.Label
	Rows            []kernel.Row
	Count           []int64
}

// A Channel is one independent draw per record, made where no output can bring what a
// record tells beyond Total; nil sets no limit.
type Channel struct {
	Plan  *Plan
	Total *kernel.Target
}

// A Symbol numbers labels over all channels. Null is its own, and None is nothing.
type Symbol int

// None stands for nothing published.
const None Symbol = -1

// A World is the channels of a record history.
type World struct {
	Channels []Channel
	Null     Symbol
	Shows    [][]Symbol // by channel, by output
	symbol   map[files.Label]Symbol
	output   []map[Symbol]int // by channel
	start    map[*Plan]*State
	room     int // floats that may still be kept; then all states are forgotten
}

// A root is the letters with records of the plan under which records began, and what
// every channel gives for them.
type root struct {
	world  *World
	prior  []*big.Rat
	prob   []float64
	column [][][]cell // by channel, by output
}

// A cell is the chance that a letter, by its place among those with records,
// gives an output.
type cell struct {
	i             int
	log           float64
	weight, total int64
}

// A State is what the outputs of a record tell so far.
type State struct {
	Factor float64 // max L / sum P L; 0 where no constant letter gives these outputs

	root   *root
	parent *State
	column []cell    // that was seen last
	like   []float64 // log L
	next   map[[2]int]*State
	draws  map[int]bool
	told   bool // its worst was added up
}

// NewWorld takes the channels in the order of their numbers.
func NewWorld(channels []Channel) *World {
	w := &World{Channels: channels, symbol: map[files.Label]Symbol{}}
	w.Null = w.Of(files.Label{Null: true})
	for _, c := range channels {
		place, shows := map[Symbol]int{}, []Symbol(nil)
		for y, l := range c.Plan.Outputs {
			shows = append(shows, w.Of(l))
			place[shows[y]] = y
		}
		w.Shows, w.output = append(w.Shows, shows), append(w.output, place)
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

// Start is the state of a record that begins under a plan. Letters of channels are
// matched by label; a letter that a channel lacks gives nothing.
func (w *World) Start(p *Plan) *State {
	if w.room <= 0 {
		w.start, w.room = map[*Plan]*State{}, 32<<20
	}
	if s := w.start[p]; s != nil {
		return s
	}
	r, total, letters := &root{world: w}, sum(p.Count), []files.Label(nil)
	for x, c := range p.Count {
		if c > 0 {
			letters = append(letters, p.Inputs[x])
			r.prior = append(r.prior, big.NewRat(c, total))
			r.prob = append(r.prob, float64(c)/float64(total))
		}
	}
	for _, c := range w.Channels {
		row, columns := map[files.Label]int{}, make([][]cell, len(c.Plan.Outputs))
		for x, l := range c.Plan.Inputs {
			row[l] = x
		}
		for i, l := range letters {
			if x, ok := row[l]; ok {
				law := c.Plan.Rows[x]
				for j, y := range law.Output {
					columns[y] = append(columns[y], cell{i, math.Log(float64(law.Weight[j]) / float64(law.Total)), law.Weight[j],
						law.Total})
				}
			}
		}
		r.column = append(r.column, columns)
	}
	w.start[p] = &State{Factor: 1, root: r, like: make([]float64, len(letters))}
	return w.start[p]
}

// Changed is the state after another output of a channel that was seen.
func (s *State) Changed() *State {
	return s.to(-1, None, func() *State { return &State{root: s.root} })
}

// After is the state after a symbol was published through a channel that is new to the
// record: the same where nothing was drawn.
func (s *State) After(channel int, y Symbol) *State {
	if s.Factor == 0 || !s.Draws(channel) {
		return s
	}
	return s.to(channel, y, func() *State {
		c := &State{root: s.root, parent: s}
		at, ok := s.root.world.Output(channel, y)
		if !ok {
			return c
		}
		c.column, c.like = s.root.column[channel][at], make([]float64, len(s.like))
		for i := range c.like {
			c.like[i] = math.Inf(-1)
		}
		for _, e := range c.column {
			c.like[e.i] = s.like[e.i] + e.log
		}
		c.Factor = s.after(c.column)
		return c
	})
}

func (s *State) to(channel int, y Symbol, made func() *State) *State {
	key := [2]int{channel, int(y)}
	if c := s.next[key]; c != nil {
		return c
	}
	if s.next == nil {
		s.next = map[[2]int]*State{}
	}
	c := made()
	s.next[key] = c
	s.root.world.room -= len(c.like) + 32
	return c
}

// after is the factor once an output was seen, 0 where no letter gives it.
func (s *State) after(column []cell) float64 {
	most, mean := math.Inf(-1), 0.0
	for _, e := range column {
		most = max(most, s.like[e.i]+e.log)
	}
	if math.IsInf(most, -1) {
		return 0
	}
	for _, e := range column {
		mean += s.root.prob[e.i] * math.Exp(s.like[e.i]+e.log-most)
	}
	return 1 / mean
}

// Draws reports whether a channel draws a record of this state: it does where every output
// that can occur keeps the total. It is taken from what was published alone.
func (s *State) Draws(channel int) bool {
	t := s.root.world.Channels[channel].Total
	if t == nil {
		return true
	}
	d, known := s.draws[channel]
	if known {
		return d
	}
	most := expOf(*t)
	d = s.Factor > 0 && !slices.ContainsFunc(s.root.column[channel], func(c []cell) bool {
		f := s.after(c)
		return f > most*(1+near) || f >= most*(1-near) && !t.Admits(s.exactly(c))
	})
	if s.draws == nil {
		s.draws = map[int]bool{}
	}
	s.draws[channel] = d
	return d
}

// likelihood is L as fractions.
func (s *State) likelihood() []*big.Rat {
	if s.parent == nil {
		return slices.Repeat([]*big.Rat{big.NewRat(1, 1)}, len(s.like))
	}
	return seen(s.parent.likelihood(), s.column)
}

// seen is a likelihood once an output was seen.
func seen(before []*big.Rat, column []cell) []*big.Rat {
	like := slices.Repeat([]*big.Rat{new(big.Rat)}, len(before))
	for _, e := range column {
		like[e.i] = new(big.Rat).Mul(before[e.i], big.NewRat(e.weight, e.total))
	}
	return like
}

// exactly is the factor after an output, of the state itself for nil.
func (s *State) exactly(column []cell) *big.Rat {
	like := s.likelihood()
	if column != nil {
		like = seen(like, column)
	}
	most, mean := new(big.Rat), new(big.Rat)
	for i, v := range like {
		if v.Cmp(most) > 0 {
			most = v
		}
		mean.Add(mean, new(big.Rat).Mul(v, s.root.prior[i]))
	}
	return mean.Quo(most, mean)
}

// A Peak finds the largest of many factors.
type Peak struct {
	most float64
	of   map[candidate]float64
}

// A candidate is a state, or it after an output of a channel.
type candidate struct {
	*State
	channel, y int // y is -1 for the state itself
}

// State takes the factor of a state.
func (p *Peak) State(s *State) { p.add(s.Factor, candidate{s, 0, -1}) }

// Worst takes the factors that a record of this state can have once it is drawn through
// a channel, or shows its last output again.
func (p *Peak) Worst(s *State, channel int) {
	if s.Factor == 0 || s.told {
		return
	}
	if s.told = true; !s.Draws(channel) {
		p.State(s)
		return
	}
	for y, column := range s.root.column[channel] {
		p.add(s.after(column), candidate{s, channel, y})
	}
}

func (p *Peak) add(f float64, c candidate) {
	if f == 0 || f < p.most*(1-near) {
		return
	}
	if p.of == nil {
		p.of = map[candidate]float64{}
	}
	if p.of[c] = f; f > p.most {
		p.most = f
		maps.DeleteFunc(p.of, func(_ candidate, f float64) bool { return f < p.most*(1-near) })
	}
}

// Exact is the largest factor, nil where there is none. all is false where candidates were
// left out: they exceed it by no more than floats can tell.
func (p *Peak) Exact() (most *big.Rat, all bool) {
	tried := 0
	for c := range p.of {
		if tried++; tried > enough {
			return most, false
		}
		var column []cell
		if c.y >= 0 {
			column = c.root.column[c.channel][c.y]
		}
		if f := c.exactly(column); most == nil || f.Cmp(most) > 0 {
			most = f
		}
	}
	return most, true
}

// expOf is e^target.
func expOf(t kernel.Target) float64 {
	if t.Factor != nil {
		f, _ := t.Factor.Float64()
		return f
	}
	v, _ := t.Nats.Float64()
	return math.Exp(v)
}

func sum(n []int64) (total int64) {
	for _, k := range n {
		total += k
	}
	return total
}
