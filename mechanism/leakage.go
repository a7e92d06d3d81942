package mechanism

import (
	"math/big"
	"math/bits"
)

// A Leakage holds the pointwise maximal leakage of every output, exactly.
type Leakage struct {
	Output []*big.Rat // e^l(y), at least 1; nil where y is never produced
}

// Leakage computes e^l(y) = n max_x p(y|x) / sum_k c_k p(y|k), the maximum
// over letters with records [Saeidian et al. 2023, Theorem 1].
func (m *Mechanism) Leakage(p Prior) Leakage {
	if p.Letters() != m.Inputs() {
		panic("mechanism: prior and mechanism differ in letters")
	}
	type part struct {
		total  int64 // D shared by the rows summed here
		hi, lo uint64
	}
	type column struct {
		w, d int64  // the largest w/d so far
		part []part // sum of c w, one entry per distinct total D
	}
	col := make([]column, m.outputs)
	for x, r := range m.row {
		c := p.Count(x)
		if c == 0 {
			continue
		}
		for i, y := range r.Output {
			k, w := &col[y], r.At(i)
			if k.d == 0 || ratioLess(k.w, k.d, w, r.Total) {
				k.w, k.d = w, r.Total
			}
			j := 0
			for j < len(k.part) && k.part[j].total != r.Total {
				j++
			}
			if j == len(k.part) {
				k.part = append(k.part, part{total: r.Total})
			}
			hi, lo := bits.Mul64(uint64(c), uint64(w))
			var carry uint64
			k.part[j].lo, carry = bits.Add64(k.part[j].lo, lo, 0)
			k.part[j].hi, _ = bits.Add64(k.part[j].hi, hi, carry)
		}
	}
	l := Leakage{make([]*big.Rat, m.outputs)}
	for y, k := range col {
		if k.d == 0 {
			continue
		}
		sum := new(big.Rat)
		for _, t := range k.part {
			v := new(big.Int).SetUint64(t.hi)
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(t.lo))
			sum.Add(sum, new(big.Rat).SetFrac(v, big.NewInt(t.total)))
		}
		most := new(big.Rat).SetFrac64(k.w, k.d)
		most.Mul(most, new(big.Rat).SetInt64(p.Total()))
		l.Output[y] = most.Quo(most, sum)
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

// Nats is eps = log of the largest factor, rounded up.
func (l Leakage) Nats() float64 {
	_, f := l.Max()
	return Nats(f)
}

// ratioLess reports a/b < c/d for positive int64, exactly.
func ratioLess(a, b, c, d int64) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(d))
	h2, l2 := bits.Mul64(uint64(c), uint64(b))
	return h1 < h2 || h1 == h2 && l1 < l2
}
