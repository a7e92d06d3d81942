package mechanism

import "math/big"

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
	sum := make([]*big.Rat, outputs) // n q_y
	for _, p := range part {
		most := make([]*big.Rat, outputs)
		for x, r := range p.Mechanism.row {
			if p.Prior.Count(x) == 0 {
				continue
			}
			for i, y := range r.Output {
				if v := big.NewRat(r.At(i), r.Total); most[y] == nil || v.Cmp(most[y]) > 0 {
					most[y] = v
				}
			}
		}
		for y, v := range most {
			if v == nil {
				continue
			}
			// l = max p/q, so that q = max p / l.
			v.Mul(v, new(big.Rat).SetInt64(p.Prior.Total()))
			v.Quo(v, p.Leakage.Output[y])
			if sum[y] == nil {
				sum[y] = new(big.Rat)
			}
			sum[y].Add(sum[y], v)
		}
	}
	l := Leakage{make([]*big.Rat, outputs)}
	for y := range sum {
		if sum[y] == nil {
			continue
		}
		top := 0.0
		for x := range m.prior.count {
			top = max(top, m.chance(x, y))
		}
		var most *big.Rat
		for x, c := range m.prior.count {
			if v := m.chance(x, y); v == 0 || v < top*(1-nearMax) {
				continue
			}
			if v := mixed(part, c, x, y); most == nil || v.Cmp(most) > 0 {
				most = v
			}
		}
		l.Output[y] = most.Mul(most, new(big.Rat).SetInt64(m.prior.total))
		l.Output[y].Quo(l.Output[y], sum[y])
	}
	return l
}

// mixed is sum_w P(w|x) p_w(y|x), exactly.
func mixed(part []Part, records int64, x, y int) *big.Rat {
	sum := new(big.Rat)
	for _, p := range part {
		c, r := p.Prior.Count(x), p.Mechanism.row[x]
		if c == 0 {
			continue
		}
		for i, k := range r.Output {
			if int(k) == y {
				v := big.NewRat(c, records)
				sum.Add(sum, v.Mul(v, big.NewRat(r.At(i), r.Total)))
			}
		}
	}
	return sum
}
