package mechanism

import (
	"math"
	"math/big"
	"slices"
)

// A Belief is the most that an observer who knows the prior comes to believe
// of one letter: max_y P(x|y).
type Belief struct {
	Most    float64 // rounded up; 0 for a letter without records
	Certain bool    // some output is given by this letter alone: Most is 1
}

// Beliefs are the largest posteriors by letter, max_y P_x p_xy / q_y, in floats
// that are never below that by more than their last place. Whether a letter may
// be confirmed is exact. It is nil where p has no records.
func (m *Mechanism) Beliefs(p Prior) []Belief {
	if p.Total() == 0 {
		return nil
	}
	col := m.columns(p)
	mean, givers := make([]float64, m.outputs), make([]int32, m.outputs)
	for y := range col {
		mean[y] = col[y].mean
	}
	for _, b := range m.block {
		held := int32(0)
		for _, x := range b.Letters {
			if p.Count(int(x)) > 0 {
				held++
			}
		}
		if held > 0 {
			for _, y := range b.Row.Output {
				givers[y] += held
			}
		}
	}
	out := make([]Belief, len(m.row))
	for _, k := range m.block {
		r, certain, least := k.Row, false, math.Inf(1)
		for _, y := range r.Output {
			certain = certain || givers[y] == 1
			least = min(least, mean[y])
		}
		for _, x := range k.Letters {
			c := p.Count(int(x))
			if c == 0 {
				continue
			}
			b := &out[x]
			b.Certain = certain
			switch {
			case certain:
				b.Most = 1
			case r.Weight == nil: // rounding keeps the order: of equal weights the least mean decides
				b.Most = posterior(c, 1, r.Total, least)
			default:
				for i, y := range r.Output {
					b.Most = max(b.Most, posterior(c, r.Weight[i], r.Total, mean[y]))
				}
			}
		}
	}
	return out
}

// posterior is P(x|y), rounded up: five roundings, each of at most 2^-53.
func posterior(count, weight, total int64, mean float64) float64 {
	return min(1, float64(count)*float64(weight)/float64(total)/mean*(1+0x1p-50))
}

// WorstGuess is the output y and the letter x whose chance P(x|y)/P(x) grows
// most: by e^eps. Of several letters it is the commonest, of several outputs
// that of Leakage.Max. It is (-1, -1) where no output is ever produced.
func (m *Mechanism) WorstGuess(p Prior, l Leakage) (x, y int) {
	x = -1
	if y, _ = l.Max(); y < 0 {
		return x, y
	}
	var most *big.Rat
	for k, r := range m.row {
		i, gives := slices.BinarySearch(r.Output, uint16(y))
		if !gives || p.Count(k) == 0 {
			continue
		}
		switch v := big.NewRat(r.At(i), r.Total); {
		case most == nil || v.Cmp(most) > 0:
			x, most = k, v
		case v.Cmp(most) == 0 && p.Count(k) > p.Count(x):
			x = k
		}
	}
	return x, y
}

// FactorUp is e^eps as a float that is never below it, +Inf beyond the floats.
func (e Epsilon) FactorUp() float64 {
	f, _ := e.Factor().Float64()
	if math.IsInf(f, 1) {
		return f
	}
	if e.Exact() {
		if new(big.Rat).SetFloat64(f).Cmp(e.Factor()) >= 0 {
			return f
		}
		return math.Nextafter(f, math.Inf(1))
	}
	// Factor is rounded down by less than a float's last place.
	return math.Nextafter(math.Nextafter(f, math.Inf(1)), math.Inf(1))
}
