package mechanism

import (
	"context"
	"encoding/binary"
	"math/big"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// Limits of a search through all combinations of outputs: its steps, and the
// exact comparisons of those that floats cannot tell apart.
const (
	combinedSteps = 1 << 31
	combinedTies  = 1 << 21
)

// A combination is what records hold in several private columns, -1 for a null
// that is no letter.
type combination struct {
	letter []int32
	count  int64
}

// A hunt is a search for the outputs y of several columns with the largest
// n max p(y|x) / sum c_x p(y|x), column by column: after the first i outputs
// are fixed, what is left are the combinations that may give them.
type hunt struct {
	rows  [][]exact.Row
	list  []combination
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

// A left is a combination that may give the outputs so far, with its chance. It
// holds no pointer: the collector would have to be told of every one.
type left struct {
	c    int // place in list
	p    uint64
	real float64
}

// combine counts the combinations of letters of the input, in the order of the
// letters.
func combine(ctx context.Context, path string, of []*document.View) ([]combination, error) {
	var in []*document.Opened
	var from []*files.Letters
	defer func() {
		for _, o := range in {
			o.Disk.Close()
		}
	}()
	for _, v := range of {
		o, err := document.OpenFile(path, "--input", v.Plan.Column)
		if err != nil {
			return nil, err
		}
		in = append(in, o)
		l, err := files.NewLetters(o.Type(), v.Plan.Inputs)
		if err != nil {
			return nil, document.Errorf("name the input of this release",
				"%s: the letters of a plan are not those of its column", path)
		}
		from = append(from, l)
	}
	units := len(in[0].Units())
	total := map[string]int64{}
	err := eachUnit(units, units, func() map[string]int64 { return map[string]int64{} },
		func(own map[string]int64, u int) error { return combineUnit(ctx, in, from, u, own) },
		func(own map[string]int64) {
			for k, n := range own {
				total[k] += n
			}
		})
	if err != nil {
		return nil, err
	}
	out := make([]combination, 0, len(total))
	for k, n := range total {
		c := combination{count: n}
		for i := range of {
			c.letter = append(c.letter, int32(binary.LittleEndian.Uint32([]byte(k[4*i:]))))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b combination) int { return slices.Compare(a.letter, b.letter) })
	return out, nil
}

// combineUnit reads the columns of a unit side by side.
func combineUnit(ctx context.Context, in []*document.Opened, from []*files.Letters, unit int,
	to map[string]int64) error {
	readers, block := make([]files.Reader, len(in)), make([][]int32, len(in))
	for i, o := range in {
		r, err := o.Open(unit, from[i])
		if err != nil {
			return o.Fault(err)
		}
		readers[i], block[i] = r, make([]int32, 4096)
	}
	key := make([]byte, 4*len(in))
	for ctx.Err() == nil {
		rows := 0
		for i, r := range readers {
			n, err := document.Fill(r, block[i])
			if err != nil {
				return in[i].Fault(err)
			}
			if i > 0 && n != rows {
				return document.Errorf("write the file again", "%s: the columns of unit %d have other rows", in[i].Path, unit+1)
			}
			rows = n
		}
		if rows == 0 {
			return nil
		}
		for row := range rows {
			for i := range block {
				x := block[i][row]
				if x == files.Stranger {
					return document.Errorf("name the input of this release", "%s: unit %d holds a value that is no letter of a plan",
						in[i].Path, unit+1)
				}
				binary.LittleEndian.PutUint32(key[4*i:], uint32(x))
			}
			to[string(key)]++
		}
	}
	return ctx.Err()
}

// jointFactor is the joint factor of records that are null in none of the
// columns, nil where finding it would take too long.
func jointFactor(rows [][]exact.Row, list []combination) (factor *big.Rat, output []int32) {
	h := &hunt{rows: rows, list: list, whole: true}
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
		all[i] = left{i, 1, 1}
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
			if high > 0 || low > 1<<62 {
				h.whole = false
				return
			}
			common = int64(low)
		}
		high, low := bits.Mul64(room, uint64(common))
		if high > 0 || low > 1<<63 {
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
	letter := func(l left) int32 { return h.list[l.c].letter[k] }
	slices.SortStableFunc(now, func(a, b left) int { return int(letter(a) - letter(b)) })
	type give struct{ from, to, at int } // of now, and the place of the output in their row
	may := map[int32][]give{}
	var order []int32
	for from, to := 0, 0; from < len(now); from = to {
		x := letter(now[from])
		for to = from; to < len(now) && letter(now[to]) == x; {
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
	then := make([]left, 0, len(now))
	for _, y := range order {
		then = then[:0]
		for _, g := range may[y] {
			r := &h.rows[k][letter(now[g.from])]
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

// judge compares outputs with the best so far.
func (h *hunt) judge(now []left, output []int32) {
	if h.whole {
		top, over := uint64(0), uint64(0)
		for _, l := range now {
			top, over = max(top, l.p), over+l.p*uint64(h.list[l.c].count)
		}
		a, b := bits.Mul64(top, h.over)
		c, d := bits.Mul64(h.top, over)
		if h.output == nil || a > c || a == c && b > d {
			h.top, h.over, h.output = top, over, output
		}
		return
	}
	top, over := 0.0, 0.0
	for _, l := range now {
		top, over = max(top, l.real), over+l.real*float64(h.list[l.c].count)
	}
	q := top / over
	margin := 1e-12 + 1e-15*float64(len(now))
	switch {
	case q > h.best*(1+2*margin):
		h.best, h.close = q, [][]int32{output}
	case q >= h.best*(1-2*margin):
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
			at := slices.Index(r.Output, output[k])
			if at < 0 {
				p = nil
				break
			}
			p.Mul(p, big.NewRat(r.Weight[at], r.Total))
		}
		if p == nil {
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
