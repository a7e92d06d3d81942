package columns

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// Limits of a search through all combinations of outputs, of those that merge leaves: its
// steps, and the exact comparisons of those that floats cannot tell apart.
const (
	combinedSteps = 1 << 31
	combinedTies  = 1 << 21
)

// A hunt is a search for the outputs y of several columns with the largest
// n max p(y|x) / sum c_x p(y|x), column by column: after the first i outputs
// are fixed, what is left are the combinations that may give them.
type hunt struct {
	rows  [][]exact.Row
	n     int64
	whole bool    // weights are integers over common, else floats
	scale []int64 // by column, the common multiple of the totals of its rows
	steps int64

	top, over uint64    // whole: max p and sum c p of the best outputs, times the scales
	best      float64   // else: the largest quotient
	close     [][]int32 // and the outputs that come within rounding of it
	output    []int32
	tired     bool
}

// A left is a combination that may give the outputs so far, with its chance.
type left struct {
	c    *combination
	p    uint64
	real float64
}

// jointFactor is the joint factor of records that are null in none of the
// columns, nil where finding it would take too long.
func jointFactor(rows [][]exact.Row, list []combination) (factor *big.Rat, output []int32) {
	rows, list = merge(rows, list)
	h := &hunt{rows: rows, whole: true}
	for i := range list {
		h.n += list[i].count
		ways := int64(1)
		for k, x := range list[i].letter {
			if ways *= int64(len(rows[k][x].Output)); ways > combinedSteps {
				return nil, nil
			}
		}
		if h.steps += ways; h.steps > combinedSteps {
			return nil, nil
		}
	}
	h.scales(list)
	all := make([]left, len(list))
	for i := range list {
		all[i] = left{&list[i], 1, 1}
	}
	h.fix(all, nil)
	switch {
	case h.tired:
		return nil, nil
	case h.whole:
		f := new(big.Rat).SetFrac(new(big.Int).SetUint64(h.top), new(big.Int).SetUint64(h.over))
		return f.Mul(f, big.NewRat(h.n, 1)), h.output
	case len(h.close)*len(list) > combinedTies:
		return nil, nil
	}
	for _, y := range h.close {
		if f := chanceOf(rows, list, y, nil); factor == nil || f.Cmp(factor) > 0 {
			factor, output = f, y
		}
	}
	return factor, output
}

// scales finds a common denominator per column, if sums of products of such
// integers fit.
func (h *hunt) scales(list []combination) {
	room := uint64(h.n)
	for k, rows := range h.rows {
		common := int64(1)
		for i := range list {
			d := rows[list[i].letter[k]].Total
			g := new(big.Int).GCD(nil, nil, big.NewInt(common), big.NewInt(d)).Int64()
			high, low := bits.Mul64(uint64(common/g), uint64(d))
			if high > 0 || low >= 1<<62 {
				h.whole = false
				return
			}
			common = int64(low)
		}
		high, low := bits.Mul64(room, uint64(common))
		if high > 0 || low >= 1<<62 {
			h.whole = false
			return
		}
		room = low
		h.scale = append(h.scale, common)
	}
}

// fix tries every output of the next column.
func (h *hunt) fix(now []left, output []int32) {
	k := len(output)
	if k == len(h.rows) {
		h.judge(now, output)
		return
	}
	slices.SortStableFunc(now, func(a, b left) int { return int(a.c.letter[k] - b.c.letter[k]) })
	if k == len(h.rows)-1 && !h.promising(now, k) {
		return
	}
	type give struct{ from, to, at int } // of now, and the place of the output in their row
	may := map[int32][]give{}
	var order []int32
	for from, to := 0, 0; from < len(now); from = to {
		x := now[from].c.letter[k]
		for to = from; to < len(now) && now[to].c.letter[k] == x; {
			to++
		}
		for at, y := range h.rows[k][x].Output {
			if may[y] == nil {
				order = append(order, y)
			}
			may[y] = append(may[y], give{from, to, at})
		}
	}
	slices.Sort(order)
	var then []left
	for _, y := range order {
		then = then[:0]
		for _, g := range may[y] {
			r := &h.rows[k][now[g.from].c.letter[k]]
			part, real := uint64(1), float64(r.Weight[g.at])/float64(r.Total)
			if h.whole {
				part = uint64(r.Weight[g.at]) * uint64(h.scale[k]/r.Total)
			}
			for _, l := range now[g.from:g.to] {
				then = append(then, left{l.c, l.p * part, l.real * real})
			}
		}
		h.fix(then, append(slices.Clone(output), y))
	}
}

// A weighed is what some combinations come to, each with its chance: the largest chance, and
// the sum of all by their records.
type weighed struct {
	top, over         uint64
	realTop, realOver float64
}

func weigh(now []left) (w weighed) {
	for _, l := range now {
		w.top, w.over = max(w.top, l.p), w.over+l.p*uint64(l.c.count)
		w.realTop, w.realOver = max(w.realTop, l.real), w.realOver+l.real*float64(l.c.count)
	}
	return w
}

// above compares with the best so far.
func (h *hunt) above(w weighed) bool {
	a, b := bits.Mul64(w.top, h.over)
	c, d := bits.Mul64(h.top, w.over)
	return h.output == nil || a > c || a == c && b > d
}

// margin is how far a quotient may be off.
func margin(terms int) float64 { return 2 * (1e-12 + 1e-15*float64(terms)) }

// promising reports whether some output of the last column k may tell as much as the best
// so far: it says no more of combinations than which letter they have there.
func (h *hunt) promising(now []left, k int) bool {
	for from, to := 0, 0; from < len(now); from = to {
		for to = from; to < len(now) && now[to].c.letter[k] == now[from].c.letter[k]; {
			to++
		}
		w := weigh(now[from:to])
		if h.whole && h.above(w) || !h.whole && w.realTop/w.realOver >= h.best*(1-margin(len(now))) {
			return true
		}
	}
	return false
}

// judge compares outputs with the best so far.
func (h *hunt) judge(now []left, output []int32) {
	w := weigh(now)
	if h.whole {
		if h.above(w) {
			h.top, h.over, h.output = w.top, w.over, output
		}
		return
	}
	q, off := w.realTop/w.realOver, margin(len(now))
	switch {
	case q > h.best*(1+off):
		h.best, h.close = q, [][]int32{output}
	case q >= h.best*(1-off):
		if h.best = max(h.best, q); len(h.close) < combinedTies {
			h.close = append(h.close, output)
		} else {
			h.tired = true
		}
	}
}

// chanceOf is the factor of outputs: of the combination guess, or of the one
// they make likelier the most.
func chanceOf(rows [][]exact.Row, list []combination, output []int32, guess []int32) *big.Rat {
	top, over, n := new(big.Rat), new(big.Rat), int64(0)
	for i := range list {
		c := &list[i]
		n += c.count
		p := big.NewRat(1, 1)
		for k, x := range c.letter {
			r := &rows[k][x]
			p.Mul(p, big.NewRat(r.Of(output[k]), r.Total))
		}
		if p.Sign() == 0 {
			continue
		}
		if guess == nil && p.Cmp(top) > 0 || guess != nil && slices.Equal(guess, c.letter) {
			top.Set(p)
		}
		over.Add(over, p.Mul(p, big.NewRat(c.count, 1)))
	}
	if over.Sign() == 0 {
		return over
	}
	return top.Quo(top.Mul(top, big.NewRat(n, 1)), over)
}
