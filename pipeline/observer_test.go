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

// A node is what was published of some records that no change shows of.
type node struct {
	prior   *fractions
	like    fractions
	records int64
	judged  bool
	factor  *big.Rat // once judged; nil where no constant letter gives what was published
	next    map[step]*node
	draws   map[int]bool // by law, by the rule of docs/repeated.md
}

// A step is a draw by a law.
type step struct {
	law int
	out byte
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

// times is the likelihood of a node times the chances of an output tonight.
func (o *observer) times(n *node, y byte) fractions {
	var to fractions
	for x, l := range n.like {
		if l == nil {
			continue
		}
		if to[x] = new(big.Rat); o.law[len(o.law)-1][x][y] != nil {
			to[x].Mul(l, o.law[len(o.law)-1][x][y])
		}
	}
	return to
}

// after is the node once this release's draw came out as y.
func (o *observer) after(n *node, y byte) *node {
	s := step{len(o.law) - 1, y}
	if n.next[s] == nil {
		if n.next == nil {
			n.next = map[step]*node{}
		}
		n.next[s] = &node{prior: n.prior, like: o.times(n, y)}
		o.nodes = append(o.nodes, n.next[s])
	}
	return n.next[s]
}

// drawn reports whether records of a node are drawn tonight: where every output that can
// occur keeps the total.
func (o *observer) drawn(n *node) bool {
	if d, known := n.draws[len(o.law)-1]; known || o.total == nil {
		return d || o.total == nil
	}
	d := true
	for y := range byte(len(kinds)) {
		like := o.times(n, y)
		f := factorUnder(n.prior, &like)
		d = d && (f == nil || f.Cmp(o.total) <= 0)
	}
	if n.draws == nil {
		n.draws = map[int]bool{}
	}
	n.draws[len(o.law)-1] = d
	return d
}

// publish is the node of a record once y was published under a draw that has
// shown nothing of it before.
func (o *observer) publish(t *testing.T, id int64, s *seen, y byte, first bool) *node {
	t.Helper()
	switch {
	case o.drawn(s.at):
		return o.after(s.at, y)
	case first:
		t.Fatalf("record %d begins where an output passes the total", id)
	case y != s.last:
		t.Errorf("record %d does not show its last output again", id)
	}
	return s.at
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
