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
	inputs, outputs := part[0].Mechanism.Inputs(), part[0].Mechanism.Outputs()
	all, total := make([]int64, inputs), int64(0)
	shared := true
	for _, p := range part {
		for x := range all {
			all[x] += p.Prior.Count(x)
		}
		total += p.Prior.Total()
		shared = shared && p.Mechanism == part[0].Mechanism
	}
	if shared {
		return part[0].Mechanism.Leakage(Prior{all, total})
	}
	mean := make([]float64, inputs*outputs)
	sum := make([]*big.Rat, outputs) // n q_y
	for _, p := range part {
		most := make([]*big.Rat, outputs)
		for x, r := range p.Mechanism.row {
			c := p.Prior.Count(x)
			if c == 0 {
				continue
			}
			for i, y := range r.Output {
				mean[x*outputs+int(y)] += float64(c) / float64(all[x]) * (float64(r.At(i)) / float64(r.Total))
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
		for x := range inputs {
			top = max(top, mean[x*outputs+y])
		}
		var most *big.Rat
		for x := range inputs {
			if v := mean[x*outputs+y]; v == 0 || v < top*(1-nearMax) {
				continue
			}
			if v := mixed(part, all[x], x, y); most == nil || v.Cmp(most) > 0 {
				most = v
			}
		}
		l.Output[y] = most.Mul(most, new(big.Rat).SetInt64(total))
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
