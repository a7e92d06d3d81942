package mechanism

import (
	"math/big"
	"slices"
)

// A Part is a mechanism with the records it redraws, and its leakage for
// these.
type Part struct {
	Mechanism *Mechanism
	Prior     Prior
	Leakage   Leakage
}

// nearMax is how close to the largest a probability in floats must come to be
// compared exactly. It is far above what W products and sums lose.
const nearMax = 1e-9

// A peak is the largest of some fractions.
type peak struct {
	most *big.Rat // nil for none
	top  float64  // the largest that floats say
}

// take looks at a fraction that floats put at about f. It is made where it may be the largest.
func (p *peak) take(f float64, exactly func() *big.Rat) {
	if f < p.top*(1-nearMax) {
		return
	}
	p.top = max(p.top, f)
	if v := exactly(); p.most == nil || v.Cmp(p.most) > 0 {
		p.most = v
	}
}

// MixedLeakage is the leakage for an observer who does not know which part a
// record belongs to: that of the channel sum_w P(w|x) p_w(y|x) under all
// records together, exactly. All parts have the same letters.
func MixedLeakage(part []Part) Leakage {
	if len(part) == 0 {
		return Leakage{}
	}
	m := MixtureOf(part)
	if m.law != nil {
		return m.law.Leakage(m.prior)
	}
	outputs := m.Outputs()
	sum := publishedExactly(part, nil)
	l := Leakage{make([]*big.Rat, outputs)}
	for y, q := range sum {
		var p peak
		for x, c := range m.prior.count {
			if v := m.chance(x, y); v > 0 {
				p.take(v, func() *big.Rat { return mixed(part, c, x, y) })
			}
		}
		l.Output[y] = p.most.Mul(p.most, new(big.Rat).SetInt64(m.prior.total))
		l.Output[y].Quo(l.Output[y], q)
	}
	return l
}

// mixed is sum_w P(w|x) p_w(y|x), exactly.
func mixed(part []Part, records int64, x, y int) *big.Rat {
	sum := new(big.Rat)
	for _, p := range part {
		r := p.Mechanism.row[x]
		if i, gives := slices.BinarySearch(r.Output, uint16(y)); gives {
			v := big.NewRat(p.Prior.Count(x), records)
			sum.Add(sum, v.Mul(v, big.NewRat(r.At(i), r.Total)))
		}
	}
	return sum
}

// Shifted is the largest p_w(y|x) / q_y of any part w, letter x with records there
// and output y, exactly: what whoever does not know the part learns at most,
// however the records of a letter are shared among the parts that hold it. Let the
// counts drift so that no share of a letter in a part, among all records, falls
// below 1/(1+headroom) of what it was, and none is gained where there was none:
// p(y|x) stays a mean of the p_w(y|x) of these parts, and q_y keeps that share. So
// parts designed for composition.Target, and with Shifted within it, keep to eps.
func Shifted(part []Part) *big.Rat {
	_, total := sumOf(part)
	most, sum := big.NewRat(1, 1), publishedExactly(part, nil)
	for _, p := range part {
		for y, k := range p.Mechanism.columns(p.Prior) {
			if k.d == 0 {
				continue
			}
			f := big.NewRat(k.w, k.d)
			if f.Mul(f, new(big.Rat).SetInt64(total)).Quo(f, sum[y]); f.Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}
