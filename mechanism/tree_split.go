package mechanism

import (
	"math/big"
	"slices"
)

// Split parts the groups of a value floor further, as far as every part has the
// records for a factor: constant rows on a part leak the factor n / mass, and no
// mechanism leaks less through such a part. Groups of a floor that itself has too few
// stay whole. What is too rare for a part is joined with others as low in the tree as can be.
func (t *Tree) Split(floor float64, factor *big.Rat, prior ...Prior) *Partition {
	s := &splitter{tree: t, prior: prior, child: make([][]int32, len(t.parent)), at: make([][]int32, len(t.parent)),
		loose: make([][]uint16, len(t.parent))}
	for _, p := range prior {
		s.need = append(s.need, Epsilon{factor: factor}.LeastMass(p.Total()))
	}
	for n, p := range t.parent {
		if p >= 0 {
			s.child[p] = append(s.child[p], int32(n))
		}
	}
	for x, n := range t.in {
		s.at[n] = append(s.at[n], int32(x))
	}
	for y, n := range t.out {
		if t.is[y] < 0 {
			s.loose[n] = append(s.loose[n], uint16(y))
		}
	}
	p := &Partition{In: slices.Repeat([]int32{-1}, len(t.in)), Out: slices.Repeat([]int32{-1}, len(t.out))}
	within := func(n int32) bool { return n >= 0 && 0-float64(t.level[n]) >= floor }
	for n := range int32(len(t.parent)) {
		if !within(n) || within(t.parent[n]) {
			continue
		}
		made, rest := s.below(n)
		if rest.letters != nil {
			for _, b := range made {
				rest = rest.and(b)
			}
			made = []piece{rest}
		}
		for _, b := range made {
			if len(b.outputs) == 0 {
				continue
			}
			slices.Sort(b.outputs)
			c := p.add(b.outputs)
			for _, x := range b.letters {
				p.In[x] = c
			}
		}
	}
	top := t.Cut(floor)
	for x, c := range top.In { // letters that nothing but themselves may stand for
		if p.In[x] < 0 && c >= 0 {
			p.In[x] = p.add(top.Set[c])
		}
	}
	return p
}

// A splitter holds what a split looks at.
type splitter struct {
	tree  *Tree
	prior []Prior
	need  []int64    // records of a part, by prior
	child [][]int32  // nodes below each
	at    [][]int32  // letters whose lowest node it is
	loose [][]uint16 // outputs that are no letter, likewise
}

// A piece is letters and outputs that stay together.
type piece struct {
	letters []int32
	outputs []uint16
	mass    []int64 // by prior
}

// and is a piece with another.
func (p piece) and(q piece) piece {
	p.letters, p.outputs, p.mass = append(slices.Clip(p.letters), q.letters...), append(slices.Clip(p.outputs),
		q.outputs...), slices.Clone(p.mass)
	for k, m := range q.mass {
		p.mass[k] += m
	}
	return p
}

// letter is one with the output that it is itself.
func (s *splitter) letter(x int32) piece {
	p := piece{letters: []int32{x}}
	for _, q := range s.prior {
		p.mass = append(p.mass, q.Count(int(x)))
	}
	if y := s.tree.self[x]; y >= 0 {
		p.outputs = []uint16{uint16(y)}
	}
	return p
}

// enough reports whether constant rows on a piece keep the factor.
func (s *splitter) enough(p piece) bool {
	some := false
	for k, m := range p.mass {
		if m > 0 && m < s.need[k] {
			return false
		}
		some = some || m > 0
	}
	return some && len(p.outputs) > 0
}

// below are the parts of what a node holds, and what is too rare to be one or to join the rarest.
func (s *splitter) below(n int32) (made []piece, rest piece) {
	none := piece{mass: make([]int64, len(s.prior))}
	rest = none
	take := func(p piece) {
		switch whole, both := s.tree.level[n] == 0, rest.and(p); { // on level 0 all is worth the same
		case !whole && s.enough(p):
			made = append(made, p)
		case !whole && s.enough(both):
			made, rest = append(made, both), none
		default:
			rest = both
		}
	}
	for _, c := range s.child[n] {
		own, left := s.below(c)
		made = append(made, own...)
		take(left)
	}
	for _, x := range s.at[n] {
		take(s.letter(x))
	}
	if rest.outputs = append(slices.Clip(rest.outputs), s.loose[n]...); s.enough(rest) {
		return append(made, rest), none
	}
	rarest := -1
	for i, p := range made {
		if s.enough(p.and(rest)) && (rarest < 0 || p.mass[0] < made[rarest].mass[0]) {
			rarest = i
		}
	}
	if rarest < 0 {
		return made, rest
	}
	made[rarest] = made[rarest].and(rest)
	return made, none
}
