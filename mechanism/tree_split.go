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
				rest = rest.and(b...)
			}
			made = []bunch{{rest}}
		}
		for _, b := range made {
			whole := piece{}.and(b...)
			if len(whole.outputs) == 0 {
				continue
			}
			slices.Sort(whole.outputs)
			c := p.add(whole.outputs)
			for _, x := range whole.letters {
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

// and is a piece with others.
func (p piece) and(more ...piece) piece {
	p.letters, p.outputs, p.mass = slices.Clip(p.letters), slices.Clip(p.outputs), slices.Clone(p.mass)
	for _, q := range more {
		p.letters, p.outputs = append(p.letters, q.letters...), append(p.outputs, q.outputs...)
		p.mass = append(p.mass, make([]int64, len(q.mass)-len(p.mass))...)
		for k, m := range q.mass {
			p.mass[k] += m
		}
	}
	return p
}

// A bunch is a part: a piece that is enough for one, and one that joined it, if any.
type bunch []piece

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

// enough reports whether constant rows on all these letters keep the factor.
func (s *splitter) enough(all ...piece) bool {
	some, outputs := false, 0
	for _, p := range all {
		outputs += len(p.outputs)
	}
	for k, need := range s.need {
		m := int64(0)
		for _, p := range all {
			m += p.mass[k]
		}
		if m > 0 && m < need {
			return false
		}
		some = some || m > 0
	}
	return some && outputs > 0
}

// below are the parts of what a node holds, and what is too rare to be one or to join one.
func (s *splitter) below(n int32) (made []bunch, rest piece) {
	none := piece{mass: make([]int64, len(s.prior))}
	rest = none
	take := func(p piece) {
		switch whole := s.tree.level[n] == 0; { // then all is worth the same
		case !whole && s.enough(p):
			made = append(made, bunch{p})
		case !whole && s.enough(rest, p):
			made, rest = append(made, bunch{rest.and(p)}), none
		default:
			rest = rest.and(p)
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
		return append(made, bunch{rest}), none
	}
	if len(made) == 0 {
		return nil, rest
	}
	return s.join(made, rest)
}

// join adds what is too rare to what joined a part before, if the two are enough for one of
// their own, else to the rarest part.
func (s *splitter) join(made []bunch, rest piece) ([]bunch, piece) {
	rarest := -1
	for i, b := range made {
		if len(b) > 1 && s.enough(b[1], rest) {
			made[i] = b[:1]
			return append(made, bunch{b[1].and(rest)}), piece{mass: make([]int64, len(s.prior))}
		}
		if s.enough(append(slices.Clip(b), rest)...) && (rarest < 0 || b[0].mass[0] < made[rarest][0].mass[0]) {
			rarest = i
		}
	}
	if rarest < 0 {
		return made, rest
	}
	made[rarest] = bunch{made[rarest][0], rest.and(made[rarest][1:]...)}
	return made, piece{mass: make([]int64, len(s.prior))}
}
