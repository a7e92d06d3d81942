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
	all, total := sumOf(part)
	law, outputs := part[0].Mechanism, part[0].Mechanism.outputs
	if !slices.ContainsFunc(part, func(p Part) bool { return p.Mechanism != law }) {
		return law.Leakage(Prior{all, total})
	}
	joint := make([]float64, len(all)*outputs) // sum_w c_wx p_w(y|x)
	for _, p := range part {
		for x, r := range p.Mechanism.row {
			for i, y := range r.Output {
				joint[x*outputs+int(y)] += float64(p.Prior.Count(x)) * (float64(r.At(i)) / float64(r.Total))
			}
		}
	}
	l := Leakage{make([]*big.Rat, outputs)}
	for y, q := range publishedExactly(part, nil) {
		var p peak
		for x, c := range all {
			if v := joint[x*outputs+y]; v > 0 {
				p.take(v/float64(c), func() *big.Rat { return mixed(part, c, x, y) })
			}
		}
		l.Output[y] = p.most.Mul(p.most, new(big.Rat).SetInt64(total))
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

// Alone is e^l of what the part of a record tells by itself:
// max P(w|x) / P(w). No mechanism lowers it.
func Alone(part []Part) *big.Rat {
	p := peak{most: big.NewRat(1, 1)}
	eachShare(part, func(_, _ int, f float64, share func() *big.Rat) { p.take(f, share) })
	return p.most
}

// Together is e^l of what the part of a record and its output tell together:
// the maximum of P(x|w,y) / P(x) = P(w|x)/P(w) p_w(y|x)/q_w(y). It is at least
// Alone, since no output lowers the largest chance in every case.
func Together(part []Part) *big.Rat {
	p := peak{most: big.NewRat(1, 1)}
	var col []Column // of the part that is looked at: they come one after the other
	at := -1
	eachShare(part, func(w, x int, f float64, share func() *big.Rat) {
		if at != w {
			at, col = w, part[w].Mechanism.columns(part[w].Prior)
		}
		r, n := part[w].Mechanism.row[x], part[w].Prior.total
		for i, y := range r.Output {
			k := &col[y]
			p.take(f*float64(n)*(float64(r.At(i))/float64(r.Total)/k.mean), func() *big.Rat {
				// p_w(y|x) / q_w(y) = n_w (w/D) / (num/den)
				v := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(r.At(i)), k.den),
					new(big.Int).Mul(big.NewInt(r.Total), k.num))
				v.Mul(v, new(big.Rat).SetInt64(n))
				return v.Mul(v, share())
			})
		}
	})
	return p.most
}

// sumOf are the records of all parts by letter, and their number.
func sumOf(part []Part) (all []int64, total int64) {
	for _, p := range part {
		if all == nil {
			all = make([]int64, p.Prior.Letters())
		}
		for x := range all {
			all[x] += p.Prior.Count(x)
		}
		total += p.Prior.total
	}
	return all, total
}

// eachShare visits the letters of every part, with P(w|x) / P(w) in floats and exactly.
func eachShare(part []Part, visit func(w, x int, f float64, share func() *big.Rat)) {
	all, total := sumOf(part)
	for w, p := range part {
		for x, c := range p.Prior.count {
			if c > 0 {
				visit(w, x, float64(c)/float64(all[x])*(float64(total)/float64(p.Prior.total)), func() *big.Rat {
					v := big.NewRat(c, all[x])
					return v.Mul(v, big.NewRat(total, p.Prior.total))
				})
			}
		}
	}
}
