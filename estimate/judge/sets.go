package judge

import (
	"cmp"
	"math"
	"slices"
)

const (
	seldom = 3    // rows of a letter below which a key says nothing of it
	levels = 16   // by which keys are told apart: how many times likelier they make a letter, in powers of two
	sure   = 3.09 // standard deviations of a bound at 1e-3
	idle   = .1   // chance that a rule without any worth is taken for one that more rows teach, by one threshold
	shown  = 3    // letters whose chances are held against the other half for the largest factor
)

// chances are thresholds of that of a key to have so many rows of a letter.
var chances = [...]float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12}

// A pair of counts: rows of keys, and those of them that hold the letter.
type hits struct{ hit, miss int64 }

// sets looks for keys at which a letter is likelier than among all rows. Those
// of letter x at a level are the keys where it is 2^level times as likely, or,
// where a breach is looked for, likelier than epsilon allows.
type sets struct {
	law      *Law
	prior    []float64 // by place
	weight   []float64 // by place: rows of the sample that one stands for, below 1 where there are more beside it
	own      []float64 // learning rows of a letter
	share    []float64 // of a letter's learning rows among these and the sample's of other letters
	cells    float64   // letters times keys that have rows enough to say anything
	strange  [len(chances)]float64
	level    [][levels]hits
	breach   []hits
	seen     []int32 // letters that have any
	rare     []int32 // by letter, all 0: of rows beside the sample
	in       []bool
	lively   bool     // some letter stands out at keys of the last rule,
	breaking bool     // and seems to be given away by them
	worst    []chosen // by place: the rule of largest precision, for a breach
	largest  []chosen // likewise, for a factor
}

// chosen is a rule whose keys make a letter likelier.
type chosen struct {
	rule  int
	at    int32 // the letter's place
	lift  float64
	low   float64 // bound of its precision in the learning half
	hits  hits
	valid bool
}

// take takes another rule where that is surer.
func (c *chosen) take(other chosen) {
	if !c.valid || other.low > c.low {
		*c = other
	}
}

// init begins, with the rows of rare letters or without.
func (s *sets) init(of *Sample, law *Law, more bool) {
	n := len(of.named)
	s.law = law
	s.prior, s.weight, s.own, s.share = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for at, x := range of.named {
		p := law.Prior[x]
		own := float64(of.of[Learn][at])
		others := float64(of.rows[Learn]) - own
		s.prior[at], s.weight[at] = p, 1
		if beside := float64(of.of[RareLearn][at]); more && beside > 0 {
			own += beside
			s.weight[at] = p * others / ((1 - p) * own)
		}
		s.own[at], s.share[at] = own, own/max(1, own+others)
	}
	s.level, s.breach, s.in = make([][levels]hits, n), make([]hits, n), make([]bool, n)
	s.worst, s.largest = make([]chosen, n), make([]chosen, n)
}

// weigh adds the rows of a key, of which n of the sample are in tally, each
// judged by the others.
func (t *Trial) weigh(key int, n int32) {
	all := n
	for _, e := range t.by[RareLearn].of(int32(key)) {
		if t.tally[e.letter] == 0 && t.rare[e.letter] == 0 {
			t.touched = append(t.touched, e.letter)
		}
		t.rare[e.letter] += e.count
		all += e.count
	}
	if all >= seldom {
		t.cells += float64(len(t.prior))
	}
	for _, x := range t.touched {
		c, others := t.tally[x]+t.rare[x], n-t.tally[x]
		t.rare[x] = 0
		if c < seldom || c+others < 2 || !(t.prior[x] > 0) {
			continue
		}
		if c > seldom {
			t.mark(x, t.lift(x, c-1, others), hits{hit: int64(c)})
		}
		if others > 0 {
			t.mark(x, t.lift(x, c, others-1), hits{miss: int64(others)})
		}
		t.wonder(float64(c), float64(c+others)*t.share[x])
	}
}

// lift is how many times likelier letter x is at a key with so many rows of it
// and of the sample's other letters.
func (s *sets) lift(x, own, others int32) float64 {
	w := s.weight[x] * float64(own)
	return w / ((w + float64(others)) * s.prior[x])
}

// precision turns the share of hits among hits and misses, of which there may
// be too many hits, into one of all rows.
func (s *sets) precision(x int32, share float64) float64 {
	w := s.weight[x] * share
	return w / (w + 1 - share)
}

// wonder counts a key with c rows of a letter, where mean are expected, by the
// chance of so many.
func (s *sets) wonder(c, mean float64) {
	if d := c - mean; d <= 0 || d*d < 6*mean {
		return
	}
	for k, chance := range chances {
		if !unlikely(c, mean, chance) {
			return
		}
		s.strange[k]++
	}
}

// unlikely reports whether P(sum >= c) < chance for a sum of independent ones and zeros
// with this mean, by Chernoff's bound.
func unlikely(c, mean, chance float64) bool {
	return c > mean && c*math.Log(c/mean)-c+mean > -math.Log(chance)
}

func (s *sets) mark(x int32, lift float64, h hits) {
	if lift < 1 {
		return
	}
	if !s.in[x] {
		s.in[x] = true
		s.seen = append(s.seen, x)
	}
	at := &s.level[x][min(levels-1, math.Ilogb(lift))]
	at.hit, at.miss = at.hit+h.hit, at.miss+h.miss
	if lift > s.law.Factor {
		s.breach[x].hit, s.breach[x].miss = s.breach[x].hit+h.hit, s.breach[x].miss+h.miss
	}
}

// close ends rule i. It is lively where more keys than chance brings have more
// rows of a letter than chance brings.
func (s *sets) close(i int) {
	s.lively, s.breaking = false, false
	for k, n := range s.strange {
		s.lively = s.lively || n > 0 && unlikely(n, s.cells*chances[k], idle)
	}
	s.cells, s.strange = 0, [len(chances)]float64{}
	for _, x := range s.seen {
		s.in[x] = false
		if b := s.breach[x]; b.hit > 0 && s.prior[x]*s.law.Factor < 1 {
			s.worst[x].take(chosen{i, x, s.law.Factor, s.precision(x, wilson(b)), b, true})
			share := float64(b.hit) / float64(b.hit+b.miss)
			s.breaking = s.breaking || s.precision(x, share) > .5 && float64(b.hit) > remaining*s.own[x]
		}
		sum := hits{}
		for k := levels - 1; k >= 0; k-- {
			if h := s.level[x][k]; h != (hits{}) {
				sum.hit, sum.miss = sum.hit+h.hit, sum.miss+h.miss
				s.largest[x].take(chosen{i, x, math.Ldexp(1, k), s.precision(x, wilson(sum)), sum, true})
			}
		}
		s.level[x], s.breach[x] = [levels]hits{}, hits{}
	}
	s.seen = s.seen[:0]
}

// breaches are the letters that some keys make likelier than epsilon allows,
// as far as the learning half can say.
func (s *sets) breaches() (all []chosen) {
	for x, c := range s.worst {
		if c.valid && s.precision(int32(x), low(c.hits.hit, c.hits.hit+c.hits.miss, 1e-3)) > s.law.Factor*s.prior[x] {
			all = append(all, c)
		}
	}
	return all
}

// lifted are the letters whose chances grow most.
func (s *sets) lifted() (all []chosen) {
	for x, c := range s.largest {
		if c.valid && c.low > s.prior[x] {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b chosen) int {
		return cmp.Compare(b.low/s.prior[b.at], a.low/s.prior[a.at])
	})
	return all[:min(shown, len(all))]
}

// wilson is a lower bound of the share of hits, at 1e-3 [Wilson 1927].
func wilson(h hits) float64 {
	n := float64(h.hit + h.miss)
	p, z := float64(h.hit)/n, sure*sure/n
	return max(0, (p+z/2-math.Sqrt(z*(p*(1-p)+z/4)))/(1+z))
}
