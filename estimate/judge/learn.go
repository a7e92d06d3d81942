package judge

import (
	"cmp"
	"math"
	"slices"
)

// A rule names the commonest letter of a key, where at least leasts[i] rows of
// it hold that letter, and these are more than the key's rows of the commonest
// letter of all by at least leads[k] times the root of both together. Which of
// these it is decides the learning half, each of its rows judged by the others.
var (
	leasts = [...]int32{1, 2, 4, 8}
	leads  = [...]float64{0, 1, 2}
)

// Hopeless is the share of different keys above which a rule has too few
// rows for each at every later stage.
const Hopeless = .8

const (
	best      = 3    // rules that are held against the other half
	signal    = 3.5  // standard deviations below which a rule names the commonest letter always
	look      = 3    // the same, below which few rows need no second look
	enough    = 6    // rows of a key that teach what is to be learnt
	fewRows   = 1000 // rows below which keys that are nearly all different are looked at, too
	remaining = .10  // gain above which a column is refused
)

// learnt is what the learning half says of a rule.
type learnt struct {
	rule  int
	least int // of leasts and
	lead  int // leads
	gain  float64
	d     float64 // share of rows on which it and the commonest letter differ in being right
}

// above reports whether the rule is better than naming the commonest letter.
func (l *learnt) above(n int) bool { return l.gain > signal*math.Sqrt(l.d/float64(n)) }

// A learner goes through the keys of a rule.
type learner struct {
	tally   []int32 // by letter, all 0
	touched []int32
	by      [halves]cells // by key
	key     []uint64
	index   Index
	weights []float64 // by letter
	label   []int32   // by key

	top   []learnt // the best rules so far
	thin  float64  // rows in keys of few
	rest  float64  // the largest gain that a rule may still have
	may   float64  // that of the last rule
	Open  []bool   // by rule: more rows may teach more
	Grave []bool   // by rule: and they may change what becomes of the column
	Many  []int    // by rule: its keys in the learning half
	tells bool     // some rule is better than the commonest letter, or seems to give one away
}

// Learn tries all rules, and reports for each whether more rows may teach more
// and how many keys it has.
func (t *Trial) Learn() {
	t.Open, t.Grave, t.Many = make([]bool, len(t.rules)), make([]bool, len(t.rules)), make([]int, len(t.rules))
	for i := range t.rules {
		if t.part(i); t.keys < 2 {
			continue
		}
		if rows := len(t.sample.letter); t.sparse && rows >= fewRows && t.keys*100 > rows*99 {
			t.Many[i] = t.sample.rows[Learn]
			continue
		}
		t.arrange(Learn, RareLearn)
		l := t.try(i)
		learn := float64(t.sample.rows[Learn])
		lost := float64(t.Many[i]) > Hopeless*learn && t.rules[i].Order == nil
		thin := t.law.Thin < 1 && t.thin > t.law.Thin*learn && (lost || t.stirs())
		t.Grave[i] = t.breaking || t.may > remaining || thin && t.rules[i].Order == nil
		t.Open[i] = t.Grave[i] || t.lively || thin
		t.tells = t.tells || t.breaking || l.gain > look*math.Sqrt(l.d/learn)
		if l.above(t.sample.rows[Learn]) {
			t.Open[i] = true
			t.top = append(t.top, l)
			slices.SortStableFunc(t.top, func(a, b learnt) int { return cmp.Compare(b.gain, a.gain) })
			t.top = t.top[:min(best, len(t.top))]
		}
	}
}

// Tells learns, and reports whether some rule is better than the commonest letter, or seems to
// give a letter away.
func (t *Trial) Tells() bool {
	t.Learn()
	return t.tells
}

// part numbers the keys of rule i; there is one where it tells nothing apart.
func (t *Trial) part(i int) {
	if r := &t.rules[i]; r.Order != nil {
		t.neighbours(r.Order())
		t.sparse = false
		return
	}
	if len(t.key) < t.values {
		t.key = make([]uint64, t.values)
	}
	t.rules[i].Key(t.key[:t.values])
	t.number(t.key[:t.values])
}

// arrange puts the rows of halves in the order of their keys.
func (t *Trial) arrange(some ...Half) {
	for _, h := range some {
		if t.count[h].from != nil {
			t.by[h].arrange(&t.count[h], t.id, t.keys)
		}
	}
}

// arrange takes the cells of a half; id is the key of every value.
func (a *cells) arrange(c *counted, id []int32, keys int) {
	a.from = append(a.from[:0], make([]int32, keys+1)...)
	for _, v := range c.value {
		a.from[id[v]+1]++
	}
	for k := range keys {
		a.from[k+1] += a.from[k]
	}
	if len(a.cell) < len(c.cell) {
		a.cell = make([]cell, len(c.cell))
	}
	for e, v := range c.value {
		at := &a.from[id[v]]
		a.cell[*at] = c.cell[e]
		*at++
	}
	copy(a.from[1:], a.from[:keys])
	a.from[0] = 0
}

// gather adds up the letters of a key in tally; the caller empties it.
func (t *Trial) gather(key int) (n int32) {
	t.touched = t.touched[:0]
	for _, e := range t.by[Learn].of(int32(key)) {
		if t.tally[e.letter] == 0 {
			t.touched = append(t.touched, e.letter)
		}
		t.tally[e.letter] += e.count
		n += e.count
	}
	return n
}

// empty ends the use of tally.
func (t *Trial) empty() {
	for _, x := range t.touched {
		t.tally[x] = 0
	}
}

// try counts, for each kind of rule, the rows that it and the commonest letter
// tell apart. Only rows of the key's own commonest letter and rows of the
// commonest letter of all can differ.
func (t *Trial) try(i int) learnt {
	var right, wrong [len(leasts)][len(leads)]int64
	keys := 0
	t.thin = 0
	for k := range t.keys {
		if own := t.by[Learn].of(int32(k)); len(own) <= 1 && len(t.by[RareLearn].of(int32(k))) == 0 {
			if len(own) == 0 {
				continue
			}
			if own[0].count == 1 {
				keys++
				t.thin++ // a single row is judged by none
				continue
			}
		}
		n := t.gather(k)
		if n > 0 {
			keys++
		}
		if n < enough {
			t.thin += float64(n)
		}
		// among the others than the commonest of all
		own, at, second, second2 := int32(0), int32(-1), int32(0), int32(-1)
		for _, x := range t.touched {
			if c := t.tally[x]; x > 0 && (c > own || c == own && x < at) {
				own, at, second, second2 = c, x, own, at
			} else if x > 0 && (c > second || c == second && x < second2) {
				second, second2 = c, x
			}
		}
		common := t.tally[0]
		if at >= 0 {
			// A row of the letter, without itself: it must still be ahead.
			if c := own - 1; c > common && (c > second || c == second && at < second2) {
				add(&right, c, common, int64(own))
			}
			if c := common - 1; common > 0 && own > c {
				add(&wrong, own, c, int64(common))
			}
		}
		t.weigh(k, n)
		t.empty()
	}
	t.Many[i] = keys
	t.close(i)
	n := float64(max(1, t.sample.rows[Learn]))
	out := learnt{rule: i, gain: math.Inf(-1)}
	t.may = 0
	for a := range leasts {
		for b := range leads {
			plus, minus := int64(0), int64(0)
			for c := a; c < len(leasts); c++ {
				for d := b; d < len(leads); d++ {
					plus, minus = plus+right[c][d], minus+wrong[c][d]
				}
			}
			gain, d := float64(plus-minus)/n, float64(plus+minus)/n
			t.may = max(t.may, gain+2*math.Sqrt(d/n))
			if gain > out.gain {
				out = learnt{i, a, b, gain, d}
			}
		}
	}
	t.rest = max(t.rest, t.may)
	return out
}

// add counts rows at the strictest kind of rule that names a letter of own
// rows beside common of the commonest.
func add(to *[len(leasts)][len(leads)]int64, own, common int32, rows int64) {
	a := len(leasts) - 1
	for ; a >= 0 && own < leasts[a]; a-- {
	}
	b := len(leads) - 1
	for ; b > 0 && !ahead(own, common, b); b-- {
	}
	if a >= 0 {
		to[a][b] += rows
	}
}

func ahead(own, common int32, lead int) bool {
	d := float64(own - common)
	return d >= 0 && d*d >= leads[lead]*leads[lead]*float64(own+common)
}

// neighbours gives every value the letter on which the values next to it in
// the order agree that have rows in the learning half, and none where they do
// not. Its own rows have no say.
func (t *Trial) neighbours(order []int32) {
	letter := func(v int32) int32 { // the commonest of its rows, -1 without any
		best, at := int32(0), int32(-1)
		for _, e := range t.count[Learn].of(v) {
			if e.count > best || e.count == best && e.letter < at {
				best, at = e.count, e.letter
			}
		}
		return at
	}
	pass := func(back bool, see func(v, last int32)) { // last is the letter of the value before
		last := int32(-1)
		for i := range order {
			v := order[i]
			if back {
				v = order[len(order)-1-i]
			}
			if v < 0 {
				last = -1
				continue
			}
			see(v, last)
			if x := letter(v); x >= 0 {
				last = x
			}
		}
	}
	pass(false, func(v, last int32) { t.id[v] = last })
	pass(true, func(v, last int32) {
		if t.id[v] != last {
			t.id[v] = -1
		}
		t.id[v]++
	})
	t.keys = len(t.sample.named) + 1
}
