package mechanism

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// A Leakage holds the pointwise maximal leakage of every output, exactly.
type Leakage struct {
	Output []*big.Rat // e^l(y), at least 1; nil where y is never produced
}

// Leakage computes e^l(y) = n max_x p(y|x) / sum_k c_k p(y|k), the maximum
// over letters with records [S23, Theorem 1]. An output that only letters
// without records can give is never produced.
func (m *Mechanism) Leakage(p Prior) Leakage {
	if p.Letters() != m.Inputs() {
		panic("mechanism: prior and mechanism differ in letters")
	}
	col := m.columns(p)
	l := Leakage{make([]*big.Rat, m.outputs)}
	for y := range col {
		l.Output[y] = col[y].Factor(p.Total())
	}
	return l
}

// Max returns the output that leaks most and its factor e^eps; (-1, 1) when
// no output is ever produced. Ties go to the lowest output.
func (l Leakage) Max() (y int, factor *big.Rat) {
	y, factor = -1, big.NewRat(1, 1)
	for i, f := range l.Output {
		if f != nil && (y < 0 || f.Cmp(factor) > 0) {
			y, factor = i, f
		}
	}
	return y, factor
}

// Factor is the largest factor e^eps of any output under any of the priors:
// a promise that holds for each of several observers.
func (m *Mechanism) Factor(prior ...Prior) *big.Rat {
	_, factor := m.Worst(prior...)
	return factor
}

// Worst is Leakage.Max of the prior under which that is largest, the first of equals. Floats tell
// which outputs may be the largest; only these are computed exactly.
func (m *Mechanism) Worst(prior ...Prior) (y int, factor *big.Rat) {
	y, factor = -1, big.NewRat(1, 1)
	for _, p := range prior {
		q, most, top := make([]float64, m.outputs), make([]float64, m.outputs), 0.0
		for k := range m.block {
			if c := m.block[k].Records(p); c > 0 {
				r := m.block[k].Row
				v := 1 / float64(r.Total)
				for i, y := range r.Output {
					if r.Weight != nil {
						v = float64(r.Weight[i]) / float64(r.Total)
					}
					q[y] += float64(c) * v
					most[y] = max(most[y], v)
				}
			}
		}
		near := make([]bool, m.outputs)
		for y, v := range q {
			if v > 0 {
				top = max(top, most[y]/v)
			}
		}
		for y, v := range q {
			near[y] = v > 0 && most[y]/v >= top*(1-nearMax)
		}
		for z, k := range m.columnsOf(p, near) {
			if f := k.Factor(p.Total()); f != nil && (y < 0 || f.Cmp(factor) > 0) {
				y, factor = z, f
			}
		}
	}
	return y, factor
}

// columns gathers every output over the letters with records.
func (m *Mechanism) columns(p Prior) []Column { return m.columnsOf(p, nil) }

// columnsOf gathers some outputs, all of them where it is not said which.
func (m *Mechanism) columnsOf(p Prior, of []bool) []Column {
	type held struct {
		row     Row
		records int64
	}
	var seen []held
	for i := range m.block {
		if c := m.block[i].Records(p); c > 0 {
			seen = append(seen, held{m.block[i].Row, c})
		}
	}
	slices.SortStableFunc(seen, func(a, b held) int { return cmp.Compare(a.row.Total, b.row.Total) })
	col := make([]Column, m.outputs)
	for _, s := range seen {
		r, c := s.row, uint64(s.records)
		for i, y := range r.Output {
			if of == nil || of[y] {
				col[y].Add(c, r.At(i), r.Total)
			}
		}
	}
	for y := range col {
		if k := &col[y]; k.d > 0 {
			k.fold()
			k.mean, _ = new(big.Rat).SetFrac(k.num, k.den).Float64()
		}
	}
	return col
}

// A Column gathers one output: the largest w/d so far, and the sum of c w/D,
// held as num/den plus the 128-bit sum of c w over the current row total. Row
// totals arrive in ascending order, so each is folded in once. The zero value is
// an output that nothing gives.
type Column struct {
	w, d     int64
	num, den *big.Int
	hi, lo   uint64
	total    int64
	mean     float64 // num/den once complete
}

// Add takes in a letter of count c that gives the output the share w/total.
func (k *Column) Add(c uint64, w, total int64) {
	if k.d == 0 || (k.w != w || k.d != total) && ratioLess(k.w, k.d, w, total) {
		k.w, k.d = w, total
	}
	if k.total != total {
		k.fold()
		k.total = total
	}
	hi, lo := bits.Mul64(c, uint64(w))
	var carry uint64
	k.lo, carry = bits.Add64(k.lo, lo, 0)
	k.hi, _ = bits.Add64(k.hi, hi, carry)
}

func (k *Column) fold() {
	if k.total == 0 {
		return
	}
	v := new(big.Int).SetUint64(k.hi)
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(k.lo))
	d := big.NewInt(k.total)
	if k.num == nil {
		k.num, k.den = v, d
	} else {
		k.num.Mul(k.num, d)
		k.num.Add(k.num, v.Mul(v, k.den))
		k.den = new(big.Int).Mul(k.den, d)
	}
	k.hi, k.lo, k.total = 0, 0, 0
}

// Factor is e^l(y) for n records, n (w/d) / (num/den); nil for a column that was never added to.
func (k *Column) Factor(n int64) *big.Rat {
	if k.d == 0 {
		return nil
	}
	k.fold()
	top := new(big.Int).Mul(big.NewInt(n), big.NewInt(k.w))
	top.Mul(top, k.den)
	return new(big.Rat).SetFrac(top, new(big.Int).Mul(k.num, big.NewInt(k.d)))
}

// ratioLess reports a/b < c/d for positive int64, exactly.
func ratioLess(a, b, c, d int64) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(d))
	h2, l2 := bits.Mul64(uint64(c), uint64(b))
	return h1 < h2 || h1 == h2 && l1 < l2
}
