package mechanism

import (
	"math/big"
	"slices"
)

// Split parts the groups of a value floor further, as far as every part has the
// records for a factor: constant rows on a part leak the factor n / mass, and no
// mechanism leaks less through such a part. Parts of a floor that itself has too few
// stay whole. Neighbours below one node that are too small alone are joined in turn.
func (t *Tree) Split(floor float64, factor *big.Rat, prior ...Prior) *Partition {
	s := &splitter{tree: t, prior: prior, top: t.Cut(floor)}
	for _, p := range prior {
		s.need = append(s.need, leastMass(p.Total(), factor))
	}
	s.gather()
	s.parts = &Partition{In: slices.Repeat([]int32{-1}, len(t.in)), Out: slices.Repeat([]int32{-1}, len(t.out))}
	for n := range t.parent {
		within := 0-float64(t.level[n]) >= floor
		if p := t.parent[n]; within && (p < 0 || 0-float64(t.level[p]) < floor) && s.node[n].letters > 0 &&
			len(t.home[n]) > 0 {
			s.split(piece{node: int32(n), letter: -1, held: s.node[n]})
		}
	}
	for x, c := range s.top.In { // letters that nothing but themselves may stand for
		if s.parts.In[x] < 0 && c >= 0 {
			s.parts.In[x] = s.parts.add(s.top.Set[c])
		}
	}
	return s.parts
}

// leastMass is the fewest of n records that a factor needs.
func leastMass(n int64, factor *big.Rat) int64 {
	top := new(big.Int).Mul(big.NewInt(n), factor.Denom())
	top.Add(top, factor.Num()).Sub(top, big.NewInt(1)).Quo(top, factor.Num())
	return max(1, top.Int64())
}

// A splitter holds what a split looks at.
type splitter struct {
	tree  *Tree
	prior []Prior
	need  []int64 // by prior
	top   *Partition
	node  []held
	child [][]int32 // nodes below each
	at    [][]int32 // letters whose lowest node it is
	loose [][]int32 // outputs that are no letter, likewise
	parts *Partition
}

// held is what a node or a part holds.
type held struct {
	mass             []int64 // by prior
	letters, outputs int
}

// A piece is a node with all that is below it, a letter with the output that it is
// itself, or an output that is no letter.
type piece struct {
	node, letter, output int32 // -1 but for one; output is not looked at where there is a letter
	held                 held
}

func (h held) plus(g held) held {
	h.mass = slices.Clone(h.mass)
	for k := range g.mass {
		h.mass[k] += g.mass[k]
	}
	h.letters, h.outputs = h.letters+g.letters, h.outputs+g.outputs
	return h
}

// enough reports whether constant rows on these letters keep the factor.
func (s *splitter) enough(h held) bool {
	some := false
	for k, m := range h.mass {
		if m > 0 && m < s.need[k] {
			return false
		}
		some = some || m > 0
	}
	return some && h.outputs > 0
}

func (s *splitter) gather() {
	t := s.tree
	n := len(t.parent)
	s.node, s.child, s.at, s.loose = make([]held, n), make([][]int32, n), make([][]int32, n), make([][]int32, n)
	for i := range s.node {
		s.node[i].mass, s.node[i].outputs = make([]int64, len(s.prior)), len(t.home[i])
	}
	for x, at := range t.in {
		s.at[at] = append(s.at[at], int32(x))
		s.node[at].letters++
		for k, p := range s.prior {
			s.node[at].mass[k] += p.Count(x)
		}
	}
	for y, at := range t.out {
		if t.is[y] < 0 {
			s.loose[at] = append(s.loose[at], int32(y))
		}
	}
	for i := n - 1; i > 0; i-- {
		p := t.parent[i]
		s.child[p] = append(s.child[p], int32(i))
		s.node[p].letters += s.node[i].letters
		for k, m := range s.node[i].mass {
			s.node[p].mass[k] += m
		}
	}
	for _, c := range s.child {
		slices.Reverse(c) // in the order of the letters
	}
}

// below are the pieces of a node; none where what is in it is worth the same.
func (s *splitter) below(n int32) (out []piece) {
	if n < 0 || s.tree.level[n] == 0 {
		return nil
	}
	for _, c := range s.child[n] {
		out = append(out, piece{node: c, letter: -1, output: -1, held: s.node[c]})
	}
	for _, x := range s.at[n] {
		h := held{mass: make([]int64, len(s.prior)), letters: 1}
		for k, p := range s.prior {
			h.mass[k] = p.Count(int(x))
		}
		if s.tree.self[x] >= 0 {
			h.outputs = 1
		}
		out = append(out, piece{node: -1, letter: x, output: -1, held: h})
	}
	for _, y := range s.loose[n] {
		out = append(out, piece{node: -1, letter: -1, output: y, held: held{mass: make([]int64, len(s.prior)), outputs: 1}})
	}
	return out
}

// split makes one part of a piece, or several.
func (s *splitter) split(p piece) {
	if p.node >= 0 && s.enough(p.held) {
		if below := s.below(p.node); len(below) > 0 {
			s.divide(below)
			return
		}
	}
	s.part(p)
}

// divide makes parts of pieces that are enough together.
func (s *splitter) divide(all []piece) {
	var alone []piece
	var joined [][]piece
	var open []piece
	rest := held{mass: make([]int64, len(s.prior))}
	for _, q := range all {
		if s.enough(q.held) {
			alone = append(alone, q)
			continue
		}
		open, rest = append(open, q), rest.plus(q.held)
		if s.enough(rest) {
			joined = append(joined, open)
			open, rest = nil, held{mass: make([]int64, len(s.prior))}
		}
	}
	if len(open) > 0 && len(joined)+len(alone) > 0 {
		// The rest goes with the last that were joined, else with the rarest of the others.
		if len(joined) == 0 {
			least := 0
			for i, q := range alone {
				if q.held.mass[0] < alone[least].held.mass[0] {
					least = i
				}
			}
			rarest := alone[least]
			alone = slices.Delete(alone, least, least+1)
			if deeper := s.below(rarest.node); len(deeper) > 0 && s.enough(rest.plus(rarest.held)) {
				s.divide(append(deeper, open...)) // a branch of it is joined with the rest, instead of all
				open = nil
			} else {
				joined = [][]piece{{rarest}}
			}
		}
	}
	if len(open) > 0 && len(joined) > 0 {
		last := &joined[len(joined)-1]
		for _, q := range *last {
			rest = rest.plus(q.held)
		}
		*last = append(*last, open...)
		if !s.enough(rest) { // under another prior
			alone, joined = nil, nil
		}
	}
	if len(open) > 0 && len(joined) == 0 {
		s.part(all...)
		return
	}
	for _, q := range alone {
		s.split(q)
	}
	for _, group := range joined {
		s.part(group...)
	}
}

// part makes one part of some pieces.
func (s *splitter) part(pieces ...piece) {
	t := s.tree
	var outputs []uint16
	var letters []int32
	for _, p := range pieces {
		switch {
		case p.node >= 0:
			outputs = append(outputs, t.home[p.node]...)
			letters = s.lettersOf(letters, p.node)
		case p.letter >= 0:
			letters = append(letters, p.letter)
			if y := t.self[p.letter]; y >= 0 {
				outputs = append(outputs, uint16(y))
			}
		default:
			outputs = append(outputs, uint16(p.output))
		}
	}
	slices.Sort(outputs)
	c := s.parts.add(outputs)
	for _, x := range letters {
		s.parts.In[x] = c
	}
}

func (s *splitter) lettersOf(to []int32, n int32) []int32 {
	to = append(to, s.at[n]...)
	for _, c := range s.child[n] {
		to = s.lettersOf(to, c)
	}
	return to
}
