package utility

import (
	"fmt"
	"io"
	"math"

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
func buildPairs(b *builder, path string) (*draft, error) {
	s, err := b.read(path)
	if err != nil {
		return nil, err
	}
	const hint = "the header is from,to,utility"
	header, err := s.header(3, hint)
	if err != nil {
		return nil, err
	}
	var column [3]int
	for i, name := range []string{"from", "to", "utility"} {
		if column[i], err = s.column(header, name); err != nil {
			return nil, err
		}
		if column[i] < 0 {
			return nil, s.errorf(1, hint, "there is no column %s", name)
		}
	}
	type pair struct{ from, to letter }
	value, line := map[pair]float64{}, map[pair]int{}
	from, to := map[letter]bool{}, map[letter]bool{}
	b.known = map[letter]int{}
	for {
		cell, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		var p pair
		if p.from, err = b.loose(s, cell[column[0]], place{s.begin, column[0] + 1}); err != nil {
			return nil, err
		}
		if p.to, err = b.loose(s, cell[column[1]], place{s.begin, column[1] + 1}); err != nil {
			return nil, err
		}
		if p.to == (letter{}) && !b.emptyIsLetter() {
			return nil, s.errorf(column[1]+1, "name the output; with --null letter an empty label is null", "an empty output label, and neither null nor the empty string is a letter")
		}
		if first, again := line[p]; again {
			return nil, s.errorf(1, "leave one of them", "the pair %s, %s stands twice, first in line %d", p.from, p.to, first)
		}
		if value[p], err = s.number(column[2]+1, cell[column[2]], true); err != nil {
			return nil, err
		}
		line[p] = s.begin
		if !from[p.from] {
			b.known[p.from] = len(b.known)
		}
		from[p.from], to[p.to] = true, true
	}
	d := &draft{namesNull: from[null] || to[null], basis: "utilities of pairs as given, all other pairs forbidden",
		describe: func(v float64) string { return fmt.Sprintf("of utility %v or better", v) }}
	rows := b.rows(d.namesNull)
	place := make(map[letter]int, len(rows))
	var lost []int
	for x, l := range rows {
		place[l] = x
		if !from[l] {
			lost = append(lost, x)
		}
	}
	if lost != nil {
		return nil, b.missing(lost, "stand nowhere in column from of "+oneLine(path), labelHint)
	}
	d.extra = len(from) - len(rows)
	if len(to) >= mechanism.MaxLetters {
		return nil, errorf("", "%s: more than %d outputs", oneLine(path), mechanism.MaxLetters-1)
	}
	output := make(map[letter]uint16, len(to))
	for l := range to {
		d.outputs = append(d.outputs, l)
	}
	b.in.Kind.sort(d.outputs)
	for y, l := range d.outputs {
		output[l] = uint16(y)
	}
	o := &sparse{len(to), make([][]uint16, len(rows)), make([][]float64, len(rows))}
	for p, v := range value {
		if x, ok := place[p.from]; ok {
			o.output[x], o.value[x] = append(o.output[x], output[p.to]), append(o.value[x], v)
		}
	}
	d.order = o
	return d, nil
}
