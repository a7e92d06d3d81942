package mechanism

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckShift recomputes how far counts of the output are off before draws are
// sampled: the shift of all records, in each stratum and in all of them together.
func CheckShift(v *document.View) {
	const name = "shares"
	records := exact.Sum(v.Sample())
	var w document.Faults
	switch {
	case v.Groups == nil && !v.Empty():
		v.Leave(name, "the rows are not known", name)
		return
	case v.Empty() || records == 0 || v.Report.Earlier() > 0:
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "nothing is said of the shares of the output")
		return
	}
	all := tableOf(v, sampled(v)...)
	shift, used := all.shift()
	want := Figures{"shift": written(shift), "used": used, "of": len(v.Plan.Outputs), "joint": nil, "relative": nil,
		"value": nil}
	if off, x := all.relative(); x >= 0 {
		want["relative"], want["value"] = written(off), v.Plan.Inputs[x]
	}
	if v.Plan.Given.Of != "" {
		joint := new(big.Rat)
		for _, g := range sampled(v) {
			if n := exact.Sum(g.count); n > 0 {
				d, _ := tableOf(v, g).shift()
				joint.Add(joint, d.Mul(d, big.NewRat(n, records)))
			}
		}
		want["joint"] = written(joint)
	}
	v.Expect(&w, Figures{name: want})
	v.Settle(name, w, "off by up to %s of all records, exactly; %d of %d outputs in use", words(shift), used,
		len(v.Plan.Outputs))
}

// words is a fraction where it is short, else its first digits.
func words(f *big.Rat) string {
	if s := f.RatString(); len(s) <= 24 {
		return s
	}
	return f.FloatString(6)
}

// shiftOfGroup is what a report says of the shares of a group.
func shiftOfGroup(v *document.View, g document.Group) string {
	if v.Report.Earlier() > 0 {
		return ""
	}
	d, _ := tableOf(v, crowd{g.Rows, g.Sample}).shift()
	return written(d)
}

// written is a share as a report has it: one of more than 100,000 digits is
// rounded up to a multiple of 2^-64.
func written(f *big.Rat) string {
	text := f.RatString()
	if len(text) > 100_000 {
		n := new(big.Int).Lsh(f.Num(), 64)
		n.Add(n, new(big.Int).Sub(f.Denom(), big.NewInt(1))).Quo(n, f.Denom())
		text = new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), 64)).RatString()
	}
	return text
}

// A table is what becomes of records: of how many values what is published, and
// which value each output is called like.
type table struct {
	crowds []crowd    // records of letters that share a row stand at the first of these
	held   []int64    // records by value
	called []int      // by output: its value, -1 for none
	of     []int      // by value: its output, -1 for none
	rough  []float64  // records by output, in floats
	fine   []*big.Rat // the same where it was asked for
	total  int64
}

func tableOf(v *document.View, crowds ...crowd) *table {
	t := &table{crowds: slices.Clone(crowds), held: make([]int64, len(v.Plan.Inputs)),
		rough: make([]float64, len(v.Plan.Outputs)), fine: make([]*big.Rat, len(v.Plan.Outputs))}
	t.of = slices.Repeat([]int{-1}, len(v.Plan.Inputs))
	place := placesOf(v.Plan.Inputs)
	for y, l := range v.Plan.Outputs {
		t.called = append(t.called, -1)
		if x, stands := place[l]; stands {
			t.called[y], t.of[x] = int(x), y
		}
	}
	for i, c := range crowds {
		for x, n := range c.count {
			t.held[x] += n
			t.total += n
		}
		c.count = exact.Shared(c.rows, c.count)
		t.crowds[i] = c
		for x, r := range c.rows {
			for i, y := range r.Output {
				if c.count[x] == 0 {
					break
				}
				t.rough[y] += float64(r.Weight[i]) / float64(r.Total) * float64(c.count[x])
			}
		}
	}
	return t
}

// refine finds the records of some outputs as fractions.
func (t *table) refine(outputs []int) {
	parts := map[int]map[int64]*big.Int{} // by output and total of the row
	for _, y := range outputs {
		if t.fine[y] == nil {
			parts[y] = map[int64]*big.Int{}
		}
	}
	if len(parts) == 0 {
		return
	}
	for _, c := range t.crowds {
		for x, r := range c.rows {
			for i, y := range r.Output {
				if c.count[x] == 0 {
					break
				}
				if part, ok := parts[int(y)]; ok {
					gather(part, r.Total, c.count[x], r.Weight[i])
				}
			}
		}
	}
	for y, part := range parts {
		t.fine[y] = added(part)
	}
}

// gather adds a product to the numerator over a denominator.
func gather(part map[int64]*big.Int, over, a, b int64) {
	if part[over] == nil {
		part[over] = new(big.Int)
	}
	k := big.NewInt(a)
	part[over].Add(part[over], k.Mul(k, big.NewInt(b)))
}

// added is the sum of fractions by their denominators, halves first.
func added(part map[int64]*big.Int) *big.Rat {
	var terms []*big.Rat
	for over, n := range part {
		terms = append(terms, new(big.Rat).SetFrac(n, big.NewInt(over)))
	}
	var sum func(terms []*big.Rat) *big.Rat
	sum = func(terms []*big.Rat) *big.Rat {
		switch n := len(terms); n {
		case 0:
			return new(big.Rat)
		case 1:
			return terms[0]
		default:
			return new(big.Rat).Add(sum(terms[:n/2]), sum(terms[n/2:]))
		}
	}
	return sum(terms)
}

// lossy is far above what sums of floats lose.
const lossy = 1e-9

// shift is the sum over outputs of what they have beyond the records of the value
// that they are called like, in shares of all; and how many outputs occur.
func (t *table) shift() (*big.Rat, int) {
	if t.total == 0 {
		return new(big.Rat), 0
	}
	own := func(y int) int64 {
		if t.called[y] < 0 {
			return 0
		}
		return t.held[t.called[y]]
	}
	var close []int
	more, used := make([]bool, len(t.rough)), 0
	for y, v := range t.rough {
		if v > 0 {
			used++
			d := v - float64(own(y))
			if more[y] = d > 0; math.Abs(d) <= lossy*v {
				close = append(close, y)
			}
		}
	}
	t.refine(close)
	for _, y := range close {
		more[y] = t.fine[y].Cmp(big.NewRat(own(y), 1)) > 0
	}
	part, away := map[int64]*big.Int{}, int64(0)
	for y, is := range more {
		if is {
			away += own(y)
		}
	}
	for _, c := range t.crowds {
		for x, r := range c.rows {
			weight := int64(0)
			for i, y := range r.Output {
				if c.count[x] == 0 {
					break
				}
				if more[y] {
					weight += r.Weight[i]
				}
			}
			if weight > 0 {
				gather(part, r.Total, c.count[x], weight)
			}
		}
	}
	d := added(part)
	d.Sub(d, big.NewRat(away, 1))
	return d.Quo(d, big.NewRat(t.total, 1)), used
}

// relative is the largest error of a value of one record in a hundred or more, in
// shares of its records, and the first value that has it; -1 where there is none.
func (t *table) relative() (most *big.Rat, at int) {
	var common, of []int
	rough := func(x int) float64 {
		if t.of[x] < 0 {
			return 1
		}
		return math.Abs(t.rough[t.of[x]]/float64(t.held[x]) - 1)
	}
	peak := 0.0
	for x, c := range t.held {
		if c >= t.total/100 && new(big.Int).Mul(big.NewInt(c), big.NewInt(100)).Cmp(big.NewInt(t.total)) >= 0 {
			common, peak = append(common, x), max(peak, rough(x))
		}
	}
	common = slices.DeleteFunc(common, func(x int) bool { return rough(x) < peak-lossy*(1+peak) })
	for _, x := range common {
		if t.of[x] >= 0 {
			of = append(of, t.of[x])
		}
	}
	t.refine(of)
	at = -1
	for _, x := range common {
		off := big.NewRat(1, 1)
		if t.of[x] >= 0 {
			off.Sub(off, new(big.Rat).Quo(t.fine[t.of[x]], big.NewRat(t.held[x], 1))).Abs(off)
		}
		if at < 0 || off.Cmp(most) > 0 {
			most, at = off, x
		}
	}
	return most, at
}
