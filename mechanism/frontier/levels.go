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
	tau   []float64 // the best first
	parts []*mechanism.Partition
	cost  []*big.Rat // by place
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
func newLevels(t *mechanism.Tree, lowest float64, stop *stopper, prior ...mechanism.Prior) (*levels, error) {
	s := t.Survey()
	if !(s.Best >= lowest) || math.IsInf(s.Best, -1) {
		for x := range t.Inputs() {
			if b := t.Best(x); !(b >= lowest) || math.IsInf(b, -1) {
				return nil, &mechanism.NoOutputError{Letter: x, Floor: mechanism.ValueFloor(lowest)}
			}
		}
	}
	l := &levels{tree: t}
	for _, v := range s.Values {
		if v <= s.Best && v >= lowest {
			l.tau = append(l.tau, v)
		}
	}
	for _, tau := range l.tau {
		if stop.over(t.Inputs() + t.Outputs()) {
			return nil, stop.err()
		}
		p := t.Cut(tau)
		l.parts, l.cost = append(l.parts, p), append(l.cost, factorOf(p, prior))
	}
	return l, nil
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

// at is the place of a floor, or of the next one below it.
func (l *levels) at(f mechanism.Floor) int {
	for i, v := range l.tau {
		if v <= f.Value {
			return i
		}
	}
	return len(l.tau)
}

// safeByLevel looks at every floor: all that there is to know of one is in closed
// form, but for the utility that is to be had at its least factor.
func (s *survey) safeByLevel() {
	l := s.levels
	listed := spaced(len(l.tau), s.floors(len(l.tau)))
	var better *spot
	for _, i := range listed {
		if s.stop.over(s.order.Inputs() + s.order.Outputs()) {
			return
		}
		p, floor := l.parts[i], mechanism.ValueFloor(l.tau[i])
		m, err := mechanism.Uniform(mechanism.SupportOfParts(p), floor)
		if err != nil {
			s.failed.Store(&err)
			return
		}
		k := spot{CurvePoint: CurvePoint{Floor: floor, Least: s.order.Outputs(), WorstValue: l.tau[i], Here: l.cost[i],
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
func (c *Floors) Tree() *mechanism.Tree {
	if c.levels == nil {
		return nil
	}
	return c.levels.tree
}

// Apart is the mechanism of a tree that parts the groups of a floor further, as far
// as a factor allows, and gives every letter the outputs of its part as often as the
// letters that they stand for have records.
func (c *Floors) Apart(f mechanism.Floor, factor *big.Rat, stands []int) (*mechanism.Mechanism, error) {
	if stands == nil {
		stands = slices.Repeat([]int{-1}, c.order.Outputs())
	}
	p := c.levels.tree.Split(f.Value, factor, append([]mechanism.Prior{c.prior}, c.also...)...)
	return p.InProportion(c.prior, stands)
}
