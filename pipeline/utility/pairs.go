package utility

import (
	"maps"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// sparse is an order of few pairs; all others are forbidden.
type sparse struct {
	outputs int
	output  [][]uint16 // per input
	value   [][]float64
}

func (o *sparse) Inputs() int { return len(o.output) }

func (o *sparse) Outputs() int { return o.outputs }

func (o *sparse) Row(x int, rank []uint16, value []float64) {
	fill(o.outputs, rank, value, func(value []float64) {
		for y := range value {
			value[y] = math.Inf(-1)
		}
		for i, y := range o.output[x] {
			value[y] = o.value[x][i]
		}
	})
}

// fill gives a caller of Order.Row what it asked for: the values that set
// writes, and the ranks that follow from them.
func fill(outputs int, rank []uint16, value []float64, set func(value []float64)) {
	if value == nil {
		if rank == nil {
			return
		}
		value = make([]float64, outputs)
	}
	set(value)
	if rank != nil {
		mechanism.Rank(value, rank)
	}
}

// buildPairs reads pairs:FILE.csv. The outputs are the letters of its column
// to, in letter order: the order of its lines says nothing.
func buildPairs(b *builder, path string) *draft {
	s := b.read(path)
	p := b.readPairs(s)
	_, fromNull := p.from[null]
	c := &cast{namesNull: fromNull || p.to[null]}
	c.rows = b.rows(c.namesNull)
	b.cover(p.from, c.rows, "are missing in column from of "+s.name)
	if len(p.to) >= mechanism.MaxLetters {
		fail(errorf("list fewer outputs", "%s: more than %d outputs", s.name, mechanism.MaxLetters-1))
	}
	c.extra = len(p.from) - len(c.rows)
	c.outputs = slices.Collect(maps.Keys(p.to))
	b.in.Kind.sort(c.outputs)
	input, output := make(map[letter]int, len(c.rows)), make(map[letter]uint16, len(p.to))
	for x, l := range c.rows {
		input[l] = x
	}
	for y, l := range c.outputs {
		output[l] = uint16(y)
	}
	o := &sparse{len(p.to), make([][]uint16, len(c.rows)), make([][]float64, len(c.rows))}
	for k, v := range p.value {
		if x, ok := input[k.from]; ok {
			o.output[x], o.value[x] = append(o.output[x], output[k.to]), append(o.value[x], v)
		}
	}
	return &draft{cast: c, order: o, basis: "utilities of pairs as given, all other pairs forbidden"}
}

type pair struct{ from, to letter }

// A pairList is what a pairs file holds.
type pairList struct {
	value map[pair]float64
	line  map[pair]int
	from  map[letter]int // by first appearance
	to    map[letter]bool
}

func (b *builder) readPairs(s *sheet) *pairList {
	const hint = "the header is from,to,utility"
	column := s.columns(s.header(3, hint), hint, "from", "to", "utility")
	p := &pairList{map[pair]float64{}, map[pair]int{}, map[letter]int{}, map[letter]bool{}}
	for cell := range s.records {
		at := s.place(column[1] + 1)
		k := pair{b.loose(s, cell[column[0]], s.place(column[0]+1)), b.loose(s, cell[column[1]], at)}
		b.publishable(s, k.to, at)
		if first, again := p.line[k]; again {
			s.fail(1, "leave one of them", "the pair %s, %s appears twice, first in line %d", k.from, k.to, first)
		}
		p.value[k] = s.number(column[2]+1, cell[column[2]], true)
		p.line[k] = s.begin
		if _, again := p.from[k.from]; !again {
			p.from[k.from] = len(p.from)
		}
		p.to[k.to] = true
	}
	return p
}
