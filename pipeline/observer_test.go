package pipeline_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

// An observer has the plan and everything that was published, and keeps the
// books by fractions and by the definition: what every letter's likelihood of
// a record's outputs is, one factor for each draw, which is one for each key.
// Records of which the same was published share one node of books, so that 365
// nights of 200,000 records take some megabytes.
type observer struct {
	prior  fractions
	law    []chances // those of all plans, the last is this release's
	total  *big.Rat  // e^total; nil for none
	root   *node     // of the records that begin tonight
	nodes  []*node
	draws  map[string]int
	record []seen // by id
	shown  [][]byte
	known  int64 // records
	none   int64 // of these, those that changed visibly
}

// fractions are by letter; nil is none.
type fractions [len(kinds)]*big.Rat

// chances are those of every output by letter.
type chances [len(kinds)]fractions

// A set is one of outputs.
type set uint16

func (s set) has(y byte) bool { return s>>y&1 == 1 }

// A node is what was published of some records that no change shows of.
type node struct {
	prior   *fractions
	like    fractions
	records int64
	judged  bool
	factor  *big.Rat // once judged; nil where no constant letter gives what was published
	next    map[step]*node
	rules   map[ruled]*rule
}

// A step is a draw by a law that came out in a set.
type step struct {
	law int
	out set
}

// A seen is a record.
type seen struct {
	at          *node // nil before anything was published
	first, last byte
	changed     bool
}

// shownBefore is set in what a draw has shown of a record.
const shownBefore = 0x80

// newObserver has room for so many ids and draws.
func newObserver(ids, draws int) *observer {
	o := &observer{draws: map[string]int{}, record: make([]seen, ids), shown: make([][]byte, draws)}
	for i := range o.shown {
		o.shown[i] = make([]byte, ids)
	}
	return o
}

// learn takes the plan of a night.
func (o *observer) learn(t *testing.T, plan string) {
	t.Helper()
	var file struct {
		Inputs []string `json:"inputs"`
		Counts []string `json:"counts"`
	}
	if err := json.Unmarshal(read(t, plan), &file); err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for _, c := range file.Counts {
		n += number(t, c)
	}
	o.prior = fractions{}
	for i, x := range file.Inputs {
		o.prior[strings.Index(kinds, x)] = big.NewRat(number(t, file.Counts[i]), n)
	}
	var l chances
	for x, row := range planRows(t, plan) {
		sum := int64(0)
		for _, w := range row {
			sum += w
		}
		for y, w := range row {
			l[strings.Index(kinds, x)][strings.Index(kinds, y)] = big.NewRat(w, sum)
		}
	}
	o.law = append(o.law, l)
	prior := o.prior
	o.root = &node{prior: &prior}
	for x, p := range prior {
		if p != nil {
			o.root.like[x] = big.NewRat(1, 1)
		}
	}
	o.nodes = append(o.nodes, o.root)
}

// factorUnder is max L / mean L; nil where L is 0.
func factorUnder(prior, like *fractions) *big.Rat {
	most, mean := new(big.Rat), new(big.Rat)
	for x, p := range prior {
		if p == nil || p.Sign() == 0 {
			continue
		}
		if like[x].Cmp(most) > 0 {
			most = like[x]
		}
		mean.Add(mean, new(big.Rat).Mul(p, like[x]))
	}
	if mean.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(most, mean)
}

// times is the likelihood of a node times the chances of a set of outputs
// tonight.
func (o *observer) times(n *node, out set) fractions {
	var to fractions
	for x, l := range n.like {
		if l == nil {
			continue
		}
		p := new(big.Rat)
		for y, q := range o.law[len(o.law)-1][x] {
			if q != nil && out.has(byte(y)) {
				p.Add(p, q)
			}
		}
		to[x] = p.Mul(p, l)
	}
	return to
}

// after is the node once this release's draw came out in a set.
func (o *observer) after(n *node, out set) *node {
	s := step{len(o.law) - 1, out}
	if n.next[s] == nil {
		if n.next == nil {
			n.next = map[step]*node{}
		}
		n.next[s] = &node{prior: n.prior, like: o.times(n, out)}
		o.nodes = append(o.nodes, n.next[s])
	}
	return n.next[s]
}

// of is the factor of a node; nil for none.
func (n *node) of() *big.Rat {
	if !n.judged {
		n.judged, n.factor = true, factorUnder(n.prior, &n.like)
	}
	return n.factor
}

// draw is the number of a draw.
func (o *observer) draw(t *testing.T, name string) int {
	t.Helper()
	d, ok := o.draws[name]
	if !ok {
		if d = len(o.draws); d == len(o.shown) {
			t.Fatalf("there are more than %d draws", d)
		}
		o.draws[name] = d
	}
	return d
}

// see takes one published output of a record under a draw.
func (o *observer) see(t *testing.T, id int64, draw int, y byte) {
	s, shown := &o.record[id], &o.shown[draw][id]
	if s.at == nil {
		s.at, s.first = o.root, y
		s.at.records++
		o.known++
		*shown = y | shownBefore
		o.move(s, o.publish(t, id, s, y, true))
	} else if *shown == 0 {
		*shown = y | shownBefore
		if !s.changed && (o.total == nil || s.at.of() != nil) { // else it has no figure any more
			o.move(s, o.publish(t, id, s, y, false))
		}
	} else if *shown != y|shownBefore && !s.changed {
		s.changed = true
		s.at.records--
		o.none++
	}
	s.last = y
}

func (o *observer) move(s *seen, to *node) {
	s.at.records--
	s.at = to
	to.records++
}

// books are the largest factor of the records that have one, and how many have
// none.
func (o *observer) books() (largest *big.Rat, visible int64) {
	largest, visible = new(big.Rat), o.none
	for _, n := range o.nodes {
		switch {
		case n.records == 0:
		case n.of() == nil:
			visible += n.records
		case n.of().Cmp(largest) > 0:
			largest = n.of()
		}
	}
	return largest, visible
}
