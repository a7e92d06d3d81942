package judge

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
)

// An Outcome is what becomes of a column.
type Outcome uint8

// The outcomes, the gravest last.
const (
	Clear     Outcome = iota
	NotJudged         // the rows are too few to tell
	Warn              // it tells something
	Refuse            // it gives letters away
)

func (o Outcome) String() string { return [...]string{"clear", "not judged", "warn", "refuse"}[o] }

// possible is the error of the upper bounds by which a column is cleared.
const possible = .005

// A Verdict is what the held-out half says of a column.
type Verdict struct {
	Outcome Outcome
	// Gain bounds the share of held-out rows in which the best rule names the
	// letter rightly, less the share in which the commonest letter is right.
	Gain, GainMost float64
	By             string // the rule with the largest Gain, or of Letter
	// Letter is made likelier than epsilon allows by some cells, -1 where none
	// is: it is held by at least Precision of their rows, and these are at
	// least Recall of its rows.
	Letter            int32
	Precision, Recall float64
	Allowed           float64 // its share of all rows
	Lift              Lift
	// Alike is how many times likelier the letter of the other rows of a value
	// is, on average; 0 where that is not seen.
	Alike float64
	Held  int  // rows
	grave bool // Letter is refused
}

// NewVerdict is one that finds nothing in so many rows.
func NewVerdict(rows int) Verdict { return Verdict{Letter: -1, Held: rows, Lift: Lift{Letter: -1}} }

// A Lift is the largest factor by which cells make a letter likelier, as far as
// the other half shows: a lower bound. There is none where it is 0.
type Lift struct {
	Factor float64
	Letter int32
	Chance float64 // of the letter at these cells, at the least
}

// a test holds one rule against the other half.
type test struct {
	learnt
	set    *chosen
	breach bool
}

// Judge holds the best rules against the other half. Learn comes first.
func (t *Trial) Judge() Verdict {
	held := int64(t.sample.rows[Held])
	v := NewVerdict(int(held))
	var tests []test
	for _, l := range t.top {
		tests = append(tests, test{learnt: l})
	}
	for _, c := range t.breaches() {
		tests = append(tests, test{learnt{rule: c.rule}, &c, true})
	}
	for _, c := range t.lifted() {
		tests = append(tests, test{learnt{rule: c.rule}, &c, false})
	}
	slices.SortStableFunc(tests, func(a, b test) int { return a.rule - b.rule })
	each := t.law.Level / float64(4*max(1, len(tests)))
	last := -1
	v.GainMost = bounds(0, 0, held, each).most
	for _, k := range tests {
		if k.rule != last {
			t.part(k.rule)
			t.arrange(Learn, RareLearn)
			last = k.rule
		}
		if k.set == nil {
			plus, minus := t.against(t.names(&k.learnt))
			g := bounds(plus, minus, held, each)
			v.GainMost = max(v.GainMost, g.most)
			if g.least > v.Gain {
				v.Gain, v.By = g.least, t.rules[k.rule].Name
			}
			continue
		}
		precision, recall, most := t.precise(k.set.at, t.within(k.set.at, t.members(k.set)), each)
		if v.finds(t.law, t.sample.named[k.set.at], precision, recall, most, k.breach) && v.By == "" {
			v.By = t.rules[k.rule].Name
		}
	}
	// No rule is right alone more often than the commonest letter is wrong.
	room := 1 - t.prior[0]
	v.GainMost = min(v.GainMost, room)
	v.weigh(min(t.rest, room))
	return v
}

// finds takes in that a letter is held by at least a share of the rows of some cells, and by most
// of them where it seems so; recall is the share of its own rows. It reports whether Letter is now
// this one: the gravest breach, and of these the one that is likelier the most.
func (v *Verdict) finds(l *Law, x int32, precision, recall float64, most, breach bool) bool {
	prior := l.Prior[x]
	if f := precision / prior; f > max(1, v.Lift.Factor) {
		v.Lift = Lift{f, x, precision}
	}
	if !breach || !(precision > l.Factor*prior) {
		return false
	}
	grave := most && recall > remaining
	if v.Letter >= 0 && (v.grave && !grave || v.grave == grave && !(precision/prior > v.Precision/v.Allowed)) {
		return false
	}
	v.Letter, v.Precision, v.Recall, v.Allowed, v.grave = x, precision, recall, prior, grave
	return true
}

// weigh ends a verdict. rest is what a rule may still gain, by the learning half.
func (v *Verdict) weigh(rest float64) {
	switch {
	case v.grave || v.Gain > remaining:
		v.Outcome = Refuse
	case v.Gain > 0 || v.Letter >= 0 || v.Alike > 1:
		v.Outcome = Warn
	case v.GainMost <= remaining && rest <= remaining:
		v.Outcome = Clear
	default:
		v.Outcome = NotJudged
	}
}

// labels gives every key a number, by its rows, whose letters are in tally.
func (t *Trial) labels(of func(key int, rows int32) int32) []int32 {
	t.label = append(t.label[:0], make([]int32, t.keys)...)
	for k := range t.keys {
		t.label[k] = of(k, t.gather(k))
		t.empty()
	}
	return t.label
}

// names is the letter that a rule names for every key, 0 for the commonest of
// all.
func (t *Trial) names(l *learnt) []int32 {
	return t.labels(func(int, int32) int32 {
		own, at := int32(0), int32(0)
		for _, x := range t.touched {
			if c := t.tally[x]; x > 0 && (c > own || c == own && x < at) {
				own, at = c, x
			}
		}
		if c := t.tally[0]; own > c && own >= leasts[l.least] && ahead(own, c, l.lead) {
			return at
		}
		return 0
	})
}

// members marks the keys of a set.
func (t *Trial) members(c *chosen) []int32 {
	return t.labels(func(k int, n int32) int32 {
		own, others := t.tally[c.at], n-t.tally[c.at]
		for _, e := range t.by[RareLearn].of(int32(k)) {
			if e.letter == c.at {
				own += e.count
			}
		}
		lift := t.lift(c.at, own, others)
		if own >= seldom && (lift > c.lift || c.lift != t.law.Factor && lift >= c.lift) {
			return 1
		}
		return 0
	})
}

// against counts the held rows that the named letters get right and the
// commonest wrong, and the reverse.
func (t *Trial) against(name []int32) (plus, minus int64) {
	for v, id := range t.id {
		f := name[id]
		if f == 0 {
			continue
		}
		for _, e := range t.count[Held].of(int32(v)) {
			switch e.letter {
			case f:
				plus += int64(e.count)
			case 0:
				minus += int64(e.count)
			}
		}
	}
	return plus, minus
}

// precise bounds the share of letter x among the rows of marked keys, and the
// share of its rows that these are; most tells whether it seems to hold more
// than half of them. Where it has rows beside the sample, its own rows and
// those of other letters are bounded apart, and one more of these is counted:
// none among few rows does not say that there are none.
func (t *Trial) precise(x int32, of hits, each float64) (precision, recall float64, most bool) {
	own, beside := int64(t.sample.of[Held][x]), int64(0)
	if t.count[RareHeld].from != nil {
		beside = int64(t.sample.of[RareHeld][x])
	}
	if beside == 0 {
		rows := of.hit + of.miss
		return low(of.hit, rows, each), low(of.hit, own, each), 2*of.hit > rows
	}
	others := int64(t.sample.rows[Held]) - own
	own += beside
	recall = low(of.hit, own, each)
	p := t.prior[x]
	hit, miss := p*recall, (1-p)*up(of.miss, others, each)
	seems := p*float64(of.hit)*float64(others) > (1-p)*float64(of.miss+1)*float64(own)
	return hit / (hit + miss), recall, seems
}

// within counts the held rows of marked keys, by whether they hold letter x.
func (t *Trial) within(x int32, in []int32) (of hits) {
	for v, id := range t.id {
		if in[id] == 0 {
			continue
		}
		for _, h := range []Half{Held, RareHeld} {
			for _, e := range t.count[h].of(int32(v)) {
				switch {
				case e.letter == x:
					of.hit += int64(e.count)
				case h == Held:
					of.miss += int64(e.count)
				}
			}
		}
	}
	return of
}

// a gain is between these.
type gain struct{ least, most float64 }

// bounds are those of the gain of a rule that is right alone in plus of n rows
// and wrong alone in minus: by each of the two counts, and by their sum and
// how it is split.
func bounds(plus, minus, n int64, each float64) gain {
	if n == 0 {
		return gain{0, 1}
	}
	d := plus + minus
	g := gain{low(plus, n, each) - up(minus, n, each), up(plus, n, possible) - low(minus, n, possible)}
	if d > 0 {
		if s := 2*low(plus, d, each) - 1; s > 0 {
			g.least = max(g.least, low(d, n, each)*s)
		}
		if s := 2*up(plus, d, possible) - 1; s > 0 {
			g.most = min(g.most, up(d, n, possible)*s)
		} else {
			g.most = min(g.most, 0)
		}
	}
	return g
}

// low is the exact lower bound of a share of which hits of n were seen.
func low(hits, n int64, each float64) float64 {
	if n == 0 {
		return 0
	}
	return estimate.AtLeast(hits, n, each)
}

// up is the upper one.
func up(hits, n int64, each float64) float64 { return math.Min(1, 1-low(n-hits, n, each)) }
