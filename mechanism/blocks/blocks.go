// Package blocks parts letters into blocks: letter x gives output y of its block with
// chance P_y / P(B). Every output of B then has the factor 1 / P(B), exactly, and every
// letter with an output of its own is published as often as it occurs, so that all that is
// looked for is a partition whose blocks have enough records: the one whose worst
// replacement is best, and of those the one whose mean is. It is found for lines and
// circles by dynamic programming, for places by cuts of the plane, for orders that fit a
// table by merging; what is found is no proof that there is nothing better.
package blocks

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// tableCells is the size up to which the order is held as a table.
const tableCells = 1 << 22

// A Problem is what is parted.
type Problem struct {
	Order  mechanism.Order
	Stands []int             // the letter that each output stands for, -1 for none
	Prior  mechanism.Prior   // whose shares are kept
	Also   []mechanism.Prior // under which factors are counted, too
	Factor *big.Rat          // the largest that a block may have under any prior; at least 1

	ByValue bool             // whether the worst is one of value, or of rank
	Floor   *mechanism.Floor // if set, nothing worse may occur
}

// Part is the mechanism of a partition; nil where none is found.
func Part(p Problem) *mechanism.Mechanism {
	s := &search{Problem: p, output: make([]int, p.Order.Inputs())}
	for x := range s.output {
		s.output[x] = -1
	}
	for y, x := range p.Stands {
		if x >= 0 {
			s.output[x] = y
		}
	}
	for _, q := range append([]mechanism.Prior{p.Prior}, p.Also...) {
		if q.Total() > 0 {
			s.prior = append(s.prior, q)
			s.need = append(s.need, mechanism.LogOf(p.Factor).LeastMass(q.Total()))
		}
	}
	whole := true // every letter with records has an output of its own
	for x := range s.output {
		if slices.ContainsFunc(s.prior, func(q mechanism.Prior) bool { return q.Count(x) > 0 }) {
			s.item = append(s.item, x)
			whole = whole && s.output[x] >= 0
		}
	}
	var parts [][]int
	base, null := bare(p.Order)
	line, along := base.(mechanism.Line)
	near, placed := base.(mechanism.Placed)
	switch {
	case len(s.item) == 0:
	case along && whole && !(null && p.Floor != nil):
		parts = s.line(line, null)
	case p.Order.Inputs()*p.Order.Outputs() <= tableCells:
		parts = s.merged(newTable(s))
	case placed && whole && !null:
		parts = s.plane(near)
	default:
		return nil
	}
	if len(s.item) > 0 && parts == nil {
		return nil
	}
	return s.mechanism(parts)
}

// Fit reports whether letters of an order are parted, however many there are: those of lines,
// places and levels are, and of others those that fit a table.
func Fit(o mechanism.Order) bool {
	base, null := bare(o)
	_, tree := base.(*mechanism.Tree)
	_, along := base.(mechanism.Line)
	_, placed := base.(mechanism.Placed)
	return o.Inputs()*o.Outputs() <= tableCells || tree || along || placed && !null
}

// bare is an order without the table that it is held in and the rule of null that is laid
// over it, and whether there was one.
func bare(o mechanism.Order) (base mechanism.Order, null bool) {
	if m, ok := o.(*mechanism.Matrix); ok && m.Of() != nil {
		o = m.Of()
	}
	if n, ok := o.(interface{ Base() mechanism.Order }); ok {
		return n.Base(), true
	}
	return o, false
}

// A search is a problem with what every way to part needs to know.
type search struct {
	Problem
	output []int // of each letter its own, -1 for none
	item   []int // the letters with records under any prior: those that are parted
	prior  []mechanism.Prior
	need   []int64 // the fewest records of a block, by prior
}

// enough reports whether records, by prior, are those of a block.
func (s *search) enough(mass []int64) bool {
	for k, m := range mass {
		if m < s.need[k] {
			return false
		}
	}
	return true
}

// mass are the records of letter x, by prior.
func (s *search) mass(x int) []int64 {
	m := make([]int64, len(s.prior))
	for k, p := range s.prior {
		m[k] = p.Count(x)
	}
	return m
}

// mechanism is that of blocks of letters. Letters without records leak nothing: each has
// the row of the block that is nearest by value, without what is worse than all else.
func (s *search) mechanism(parts [][]int) *mechanism.Mechanism {
	rows, sets := make([]mechanism.Row, s.Order.Inputs()), make([][]uint16, len(parts))
	for b, part := range parts {
		for _, x := range part {
			if y := s.output[x]; y >= 0 {
				sets[b] = append(sets[b], uint16(y))
			}
		}
		slices.Sort(sets[b])
		if len(sets[b]) == 0 {
			return nil
		}
		row := mechanism.Proportional(sets[b], s.Prior, s.Stands)
		for _, x := range part {
			rows[x] = row
		}
	}
	value := s.valuer()
	worst := func(x int, set []uint16) float64 {
		at := value(x, set)
		low := math.Inf(1)
		for _, y := range set {
			low = min(low, at[y])
		}
		return low
	}
	low := math.Inf(1)
	var bare []int
	for x, r := range rows {
		if r.Output == nil {
			bare = append(bare, x)
		}
	}
	if len(bare) == 0 {
		return s.made(rows)
	}
	for b, part := range parts {
		for _, x := range part {
			low = min(low, worst(x, sets[b]))
		}
	}
	rank := make([]uint16, s.Order.Outputs())
	for _, x := range bare {
		best, most := -1, math.Inf(-1)
		for b := range sets {
			if w := worst(x, sets[b]); w > most {
				best, most = b, w
			}
		}
		if best >= 0 && most >= low && s.Floor == nil {
			rows[x] = rows[parts[best][0]]
			continue
		}
		// What is within the floor, or no worse than the blocks are; else its best output.
		at := make([]float64, s.Order.Outputs())
		s.Order.Row(x, rank, at)
		var own []uint16
		if best >= 0 {
			for _, y := range sets[best] {
				if s.Floor == nil && at[y] >= low || s.Floor != nil && s.Floor.Allows(rank[y], at[y]) {
					own = append(own, y)
				}
			}
		}
		switch {
		case own == nil:
			rows[x] = mechanism.UniformRow([]uint16{uint16(slices.Index(rank, uint16(len(rank))))})
		case len(own) == len(sets[best]):
			rows[x] = rows[parts[best][0]]
		default:
			rows[x] = mechanism.Proportional(own, s.Prior, s.Stands)
		}
	}
	return s.made(rows)
}

func (s *search) made(rows []mechanism.Row) *mechanism.Mechanism {
	m, err := mechanism.New(s.Order.Outputs(), rows)
	if err != nil {
		return nil
	}
	return m
}

// valuer has the values of some outputs of a letter; what it returns is overwritten.
func (s *search) valuer() func(x int, of []uint16) []float64 {
	row := make([]float64, s.Order.Outputs())
	return func(x int, of []uint16) []float64 {
		mechanism.ValuesAt(s.Order, x, of, row)
		return row
	}
}
