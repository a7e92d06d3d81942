package kernel

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// Outputs y_1, ..., y_k of a record under independent draws have the likelihood
// L(x) = p_1(y_1|x) ... p_k(y_k|x). They tell max_x L(x) / sum_x P(x) L(x), over letters with
// records, whoever sees them all and is certain that the value never changed [S23;
// docs/repeated.md]; P is the prior of the plan under which the record began.

// blur is more than floats are off by: what is nearer is compared as fractions.
const blur = 1e-9

// A Channel is one independent draw per record, made where no output can bring what a
// record tells beyond Total; nil sets no limit.
type Channel struct {
	*Design
	Total *Target
}

// A world is the channels of a record history, and the states that records are in.
type world struct {
	Channels []Channel
	start    map[*Design]*state
	room     int // floats that may still be kept; then all states are forgotten
}

// A root is the letters with records of the plan under which records began, and what
// every channel gives for them, matched by label.
type root struct {
	*world
	prior   []*big.Rat
	prob    []float64
	column  [][][]chance // by channel, by output
	changed *state       // after another output of a channel that was seen
}

// A chance that a letter, by its place among those with records, gives an output.
type chance struct {
	i    int
	log  float64
	w, d int64
}

// A state is what the outputs of a record tell so far.
type state struct {
	*root
	factor float64 // 0 where no constant letter gives these outputs
	whole  *big.Rat
	parent *state
	last   []chance  // of the output that was seen last
	like   []float64 // log L
	next   map[[2]int]*state
	draws  map[int]bool
}

// begin is the state of a record that begins under a plan.
func (w *world) begin(p *Design) *state {
	if w.room <= 0 {
		w.start, w.room = map[*Design]*state{}, 32<<20
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
		row, columns := placesOf(c.Inputs), make([][]chance, len(c.Outputs))
		for i, l := range letters {
			x, known := row[l]
			if !known {
				continue
			}
			law := c.Rows[x]
			for j, y := range law.Output {
				columns[y] = append(columns[y], chance{i, math.Log(law.Chance(j)), law.Weight[j], law.Total})
			}
		}
		r.column = append(r.column, columns)
	}
	r.changed = &state{root: r}
	w.start[p] = &state{root: r, factor: 1, like: make([]float64, len(letters))}
	return w.start[p]
}

// after is the state once output y was published through a channel that is new to the
// record: the same where nothing was drawn.
func (s *state) after(channel, y int) *state {
	if s.factor == 0 || !s.drawn(channel) {
		return s
	}
	key := [2]int{channel, y}
	if c := s.next[key]; c != nil {
		return c
	}
	c := &state{root: s.root, parent: s}
	if y < len(s.column[channel]) {
		c.last, c.like = s.column[channel][y], slices.Repeat([]float64{math.Inf(-1)}, len(s.like))
		for _, e := range c.last {
			c.like[e.i] = s.like[e.i] + e.log
		}
		c.factor = s.once(c.last)
	}
	if s.next == nil {
		s.next = map[[2]int]*state{}
	}
	s.next[key], s.room = c, s.room-len(c.like)-32
	return c
}

// once is the factor once an output was seen, 0 where no letter gives it.
func (s *state) once(column []chance) float64 {
	most, mean := math.Inf(-1), 0.0
	for _, e := range column {
		most = max(most, s.like[e.i]+e.log)
	}
	if math.IsInf(most, -1) {
		return 0
	}
	for _, e := range column {
		mean += s.prob[e.i] * math.Exp(s.like[e.i]+e.log-most)
	}
	return 1 / mean
}

// drawn reports whether a channel draws a record of this state: it does where every output
// that can occur keeps the total, which what was published alone decides.
func (s *state) drawn(channel int) bool {
	t := s.Channels[channel].Total
	if t == nil {
		return true
	}
	d, known := s.draws[channel]
	if known {
		return d
	}
	most := t.float()
	d = s.factor > 0 && !slices.ContainsFunc(s.column[channel], func(c []chance) bool {
		f := s.once(c)
		return f > most*(1+blur) || f >= most*(1-blur) && !t.Admits(s.exactly(c))
	})
	if s.draws == nil {
		s.draws = map[int]bool{}
	}
	s.draws[channel] = d
	return d
}

// exactly is the factor after an output, of the state itself for nil.
func (s *state) exactly(column []chance) *big.Rat {
	like := slices.Repeat([]*big.Rat{one}, len(s.prior))
	for seen := column; ; s, seen = s.parent, s.last {
		if seen != nil {
			rest := slices.Repeat([]*big.Rat{new(big.Rat)}, len(like))
			for _, e := range seen {
				rest[e.i] = new(big.Rat).Mul(like[e.i], big.NewRat(e.w, e.d))
			}
			like = rest
		}
		if s.parent == nil {
			break
		}
	}
	most, mean := new(big.Rat), new(big.Rat)
	for i, v := range like {
		most = larger(most, v)
		mean.Add(mean, new(big.Rat).Mul(v, s.prior[i]))
	}
	return mean.Quo(most, mean)
}

// exact is the factor of the state, made once.
func (s *state) exact() *big.Rat {
	if s.whole == nil {
		s.whole = s.exactly(nil)
	}
	return s.whole
}

// A peak finds the largest factor of many states, or of fractions beside them.
type peak struct {
	best  *state
	alone *big.Rat
}

// add takes a state and a fraction, of which either may be nil.
func (p *peak) add(s *state, alone *big.Rat) {
	p.alone = larger(p.alone, alone)
	switch {
	case s == nil || s.factor == 0 || s == p.best || p.best != nil && s.factor < p.best.factor*(1-blur):
	case p.best == nil || s.factor > p.best.factor*(1+blur) || s.exact().Cmp(p.best.exact()) > 0:
		p.best = s
	}
}

// factor is the largest, nil where there is none.
func (p *peak) factor() *big.Rat {
	if p.best == nil {
		return p.alone
	}
	return larger(p.alone, p.best.exact())
}

// float is e^target.
func (t Target) float() float64 {
	if t.Factor != nil {
		f, _ := t.Factor.Float64()
		return f
	}
	v, _ := t.Nats.Float64()
	return math.Exp(v)
}
