package mechanism

import (
	"math/big"
	"slices"
)

// A Mixture is what an observer sees of parts who does not know which of them a
// record belongs to: the channel sum_w P(w|x) p_w(y|x) under all records.
type Mixture struct {
	part  []Part
	prior Prior
	law   *Mechanism // where all parts have the same; else nil
	joint []float64  // sum_w c_wx p_w(y|x) by letter and output; nil where law is set
}

// MixtureOf mixes parts over the same letters, of which there is one at least.
func MixtureOf(part []Part) *Mixture {
	m := &Mixture{part: part}
	m.prior.count, m.prior.total = sumOf(part)
	law := part[0].Mechanism
	if !slices.ContainsFunc(part, func(p Part) bool { return p.Mechanism != law }) {
		m.law = law
		return m
	}
	outputs := m.Outputs()
	m.joint = make([]float64, law.Inputs()*outputs)
	for _, p := range part {
		for x, r := range p.Mechanism.row {
			if c := p.Prior.Count(x); c > 0 {
				for i, y := range r.Output {
					m.joint[x*outputs+int(y)] += float64(c) * (float64(r.At(i)) / float64(r.Total))
				}
			}
		}
	}
	return m
}

// Prior is that of all records.
func (m *Mixture) Prior() Prior { return m.prior }

// chance is p(y|x) in floats, 0 for a letter without records.
func (m *Mixture) chance(x, y int) float64 {
	return m.joint[x*m.Outputs()+y] / float64(max(1, m.prior.count[x]))
}

// Outputs is the number of outputs.
func (m *Mixture) Outputs() int { return m.part[0].Mechanism.outputs }

// Beliefs are as those of a Mechanism: never below the largest posteriors by
// more than their last place, and exact in whether a letter may be confirmed.
func (m *Mixture) Beliefs() []Belief {
	if m.law != nil || m.prior.total == 0 {
		return m.part[0].Mechanism.Beliefs(m.prior)
	}
	outputs := m.Outputs()
	sum, givers := make([]Sum, outputs), make([]int, outputs)
	for x := range m.prior.count {
		for y, v := range m.joint[x*outputs : (x+1)*outputs] {
			if v > 0 {
				sum[y].Add(v)
				givers[y]++
			}
		}
	}
	// A cell of joint is a sum of as many products as there are parts.
	up := 1 + float64(len(m.part)+8)*0x1p-52
	out := make([]Belief, len(m.prior.count))
	for x := range out {
		b := &out[x]
		for y, v := range m.joint[x*outputs : (x+1)*outputs] {
			if v > 0 {
				b.Certain = b.Certain || givers[y] == 1
				b.Most = max(b.Most, min(1, v/sum[y].Value()*up))
			}
		}
		if b.Certain {
			b.Most = 1
		}
	}
	return out
}

// BayesVulnerability is as that of a Mechanism.
func (m *Mixture) BayesVulnerability() (before, after float64) {
	if m.law != nil || m.prior.total == 0 {
		return m.part[0].Mechanism.BayesVulnerability(m.prior)
	}
	outputs := m.Outputs()
	_, c := m.prior.Most()
	var sum Sum
	for y := range outputs {
		most := 0.0
		for x := range m.prior.count {
			most = max(most, m.joint[x*outputs+y])
		}
		sum.Add(most)
	}
	n := float64(m.prior.total)
	return float64(c) / n, sum.Value() / n
}

// WorstGuess is the output y and the letter x whose chance P(x|y)/P(x) grows
// most: by e^eps. Of several letters it is the commonest, of several outputs
// that of Leakage.Max. It is (-1, -1) where no output is ever produced.
func (m *Mixture) WorstGuess(l Leakage) (x, y int) {
	x = -1
	if y, _ = l.Max(); y < 0 {
		return x, y
	}
	part := m.part
	if m.law != nil {
		part = []Part{{Mechanism: m.law, Prior: m.prior}}
	}
	var most *big.Rat
	for k, c := range m.prior.count {
		if c == 0 {
			continue
		}
		switch v := mixed(part, c, k, y); {
		case most == nil || v.Cmp(most) > 0:
			x, most = k, v
		case v.Cmp(most) == 0 && c > m.prior.count[x]:
			x = k
		}
	}
	return x, y
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
