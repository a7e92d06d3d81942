package floors

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A look is the supports of some floors.
type look struct {
	v       *survey
	labels  []string // of inputs
	support []*mechanism.Support
}

// look makes the supports of floors; nil where they are too large.
func (v *survey) look(at []mechanism.Floor) *look {
	if v.order.Order.Inputs()*v.order.Order.Outputs() > decide.AdviceCells {
		return nil
	}
	l := &look{v: v, labels: texts(report.Labels(v.d.Letters.Label, v.d.Letters.Null))}
	for _, floor := range at {
		l.support = append(l.support, mechanism.SupportOf(v.order.Order, floor))
	}
	return l
}

// explain adds groups, and the reasons of floors at their least epsilon.
func (l *look) explain(stops []page.Stop) {
	for i := range stops {
		if stops[i].Groups = l.groups(l.support[i]); !stops[i].Best {
			stops[i].Reason, stops[i].Free = l.reason(l.support[i], stops[i].Lower)
		}
	}
}

// reason bounds what every mechanism of this support leaks by one letter: its
// row holds some output y, and every mechanism leaks at least -log P(S_y)
// through an output that it gives. Free tells that some output is allowed for
// every letter that has records.
func (l *look) reason(s *mechanism.Support, lower float64) (r *page.Reason, free bool) {
	p := l.v.d.Prior
	mass := s.Mass(p)
	if l.v.d.Of != "" {
		return nil, slices.Contains(mass, p.Total()) // its weights are no records
	}
	letter, output := -1, -1
	var row []uint16
	for x := range s.Inputs() {
		if p.Count(x) == 0 {
			continue
		}
		best := -1
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			if best < 0 || mass[y] > mass[best] {
				best = int(y)
			}
		}
		if best >= 0 && (letter < 0 || mass[best] < mass[output]) {
			letter, output = x, best
		}
	}
	if letter < 0 || mass[output] == p.Total() {
		return nil, letter >= 0 && slices.Contains(mass, p.Total())
	}
	r = &page.Reason{Letter: l.labels[letter], Records: mass[output], Of: p.Total(),
		Nats: 0 - mechanism.Nats(big.NewRat(mass[output], p.Total()))}
	for x := range s.Inputs() {
		if p.Count(x) > 0 && s.Allowed(x, output) {
			r.Letters++
		}
	}
	r.All = math.Abs(r.Nats-lower) <= 1e-9
	return r, false
}

// groups are the connected parts of the support, inputs with records and the
// outputs they share; nil for a single one. Every output that a part of share
// q gives leaks at least -log q.
func (l *look) groups(s *mechanism.Support) *page.Groups {
	p := l.v.d.Prior
	if l.v.d.Of != "" {
		return nil // its weights are no records
	}
	parent := make([]int, s.Outputs())
	for y := range parent {
		parent[y] = y
	}
	root := func(y int) int {
		for parent[y] != y {
			parent[y] = parent[parent[y]]
			y = parent[y]
		}
		return y
	}
	first := make([]int, s.Inputs())
	var row []uint16
	for x := range first {
		if row, first[x] = s.AppendRow(row[:0], x), -1; p.Count(x) == 0 || len(row) == 0 {
			continue
		}
		first[x] = int(row[0])
		for _, y := range row[1:] {
			parent[root(int(y))] = root(first[x])
		}
	}
	members, records := map[int][]int{}, map[int]int64{}
	for x, y := range first {
		if y >= 0 {
			members[root(y)] = append(members[root(y)], x)
			records[root(y)] += p.Count(x)
		}
	}
	if len(members) < 2 {
		return nil
	}
	rarest := -1
	for at := range members {
		if rarest < 0 || cmp.Or(cmp.Compare(records[at], records[rarest]),
			cmp.Compare(members[at][0], members[rarest][0])) < 0 {
			rarest = at
		}
	}
	n := records[rarest]
	return &page.Groups{Count: len(members), Letters: len(members[rarest]), Example: l.labels[members[rarest][0]],
		Records: n,
		Share:   float64(n) / float64(p.Total()), Nats: 0 - mechanism.Nats(big.NewRat(n, p.Total()))}
}
