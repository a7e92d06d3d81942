package frontier

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A levels is the value floors of a tree that is too large for a table: they part its
// letters into groups, and the least factor of a floor is 1 / min P(G), which rows
// that are constant on groups reach [SO, Lemma 2].
type levels struct {
	tree  *mechanism.Tree
	parts []*mechanism.Partition // by place, the best floor first
	cost  []*big.Rat
}

// treeOf is the tree of an order whose floors are looked at by groups; nil where
// there is a table.
func treeOf(o mechanism.Order, byValue bool) *mechanism.Tree {
	if t, ok := o.(*mechanism.Tree); ok && byValue && o.Inputs()*o.Outputs() > optimum.FitCells {
		return t
	}
	return nil
}

// newLevels lists the floors that every letter can meet, not below lowest.
func newLevels(t *mechanism.Tree, lowest float64, stop *stopper, prior ...mechanism.Prior) (*levels,
	[]mechanism.Floor, error) {
	s := t.Survey()
	if !(s.Best >= lowest) || math.IsInf(s.Best, -1) {
		for x := range t.Inputs() {
			if b := t.Best(x); !(b >= lowest) || math.IsInf(b, -1) {
				return nil, nil, &mechanism.NoOutputError{Letter: x, Floor: mechanism.ValueFloor(lowest)}
			}
		}
	}
	l, floors := &levels{tree: t}, []mechanism.Floor(nil)
	for _, v := range s.Values {
		if !(v <= s.Best && v >= lowest) {
			continue
		}
		if stop.over(t.Inputs() + t.Outputs()) {
			return nil, nil, stop.err()
		}
		p := t.Cut(v)
		l.parts, l.cost = append(l.parts, p), append(l.cost, factorOf(p, prior))
		floors = append(floors, mechanism.ValueFloor(v))
	}
	return l, floors, nil
}

// factorOf is the largest n / mass of a part under any prior.
func factorOf(p *mechanism.Partition, prior []mechanism.Prior) *big.Rat {
	most := big.NewRat(1, 1)
	for _, q := range prior {
		for _, c := range p.Mass(q) {
			if c == 0 {
				continue
			}
			if f := big.NewRat(q.Total(), c); f.Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}

// within is the first place whose factor is within e, -1 where there is none.
func (l *levels) within(e mechanism.Epsilon) int {
	for i, f := range l.cost {
		if e.Admits(f) {
			return i
		}
	}
	return -1
}

// safeByLevel looks at every floor: all that there is to know of one is in closed
// form, but for the utility that is to be had at its least factor.
func (s *survey) safeByLevel() {
	l := s.levels
	listed := spaced(len(s.floor), s.floors(len(s.floor)))
	var better *spot
	for _, i := range listed {
		if s.stop.over(s.order.Inputs() + s.order.Outputs()) {
			return
		}
		p, floor := l.parts[i], s.floor[i]
		m, err := mechanism.Uniform(mechanism.SupportOfParts(p), floor)
		if err != nil {
			s.failed.Store(&err)
			return
		}
		k := spot{CurvePoint: CurvePoint{Floor: floor, Least: s.order.Outputs(), WorstValue: floor.Value, Here: l.cost[i],
			Lower: l.cost[i], Upper: l.cost[i]}, done: true}
		for _, set := range p.Set {
			k.Least, k.Most = min(k.Least, len(set)), max(k.Most, len(set))
		}
		k.Weight = p.Rarest(s.prior)
		if k.Safe = s.measure(m, floor); better != nil && better.Safe.Factor.Cmp(k.Safe.Factor) <= 0 {
			k.Safe = better.Safe
		}
		k.Optimal = k.Safe
		if m, err = s.Apart(floor, l.cost[i], s.opt.Stands); err != nil {
			s.failed.Store(&err)
			return
		}
		if c := s.measure(m, floor); c.ExpectedUtility > k.Optimal.ExpectedUtility {
			k.Optimal = c
		}
		s.spot = append(s.spot, k)
		better = &s.spot[len(s.spot)-1]
	}
	slices.Reverse(s.spot)
}

// Tree is the tree whose groups are looked at; nil where there is a table.
func (d *Floors) Tree() *mechanism.Tree {
	if d.levels == nil {
		return nil
	}
	return d.levels.tree
}

// Apart is the mechanism of a tree that parts the groups of a floor further, as far
// as a factor allows, and gives every letter the outputs of its part as often as the
// letters that they stand for have records.
func (d *Floors) Apart(f mechanism.Floor, factor *big.Rat, stands []int) (*mechanism.Mechanism, error) {
	if stands == nil {
		stands = slices.Repeat([]int{-1}, d.order.Outputs())
	}
	p := d.levels.tree.Split(f.Value, factor, append([]mechanism.Prior{d.prior}, d.also...)...)
	return p.InProportion(d.prior, stands)
}
