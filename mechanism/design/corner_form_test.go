package design

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// HighPrivacyLimit is 1/(1 - P_min), P_min the least probability of a letter
// with records: the largest factor at which every output must stay possible
// for every letter. It is nil where at most one letter has records, and any
// factor is within it.
func HighPrivacyLimit(p mechanism.Prior) *big.Rat {
	if x, c := p.Least(); x >= 0 && c < p.Total() {
		return big.NewRat(p.Total(), p.Total()-c)
	}
	return nil
}

// HighPrivacy is the extremal mechanism of the high-privacy corner, where t =
// factor is within HighPrivacyLimit and nothing is forbidden [G24]: output y
// speaks against letter y alone,
//
//	p_xx = 1 - t (1 - P_x),   p_xy = t P_y,
//
// every output leaks exactly t, and the prior is invariant: P_Y = P. Up to the
// naming of outputs it is the largest in every measure that is a sum of convex
// functions of the columns, mutual information among them, because at these
// factors a column has only these N extreme forms and rows that sum to 1 fix
// their shares. Letters without records get the output law. It fails on a
// factor out of range, and where a row total would pass 2^62.
func HighPrivacy(p mechanism.Prior, factor *big.Rat) (*mechanism.Mechanism, error) {
	name := make([]int, p.Letters())
	for k := range name {
		name[k] = k
	}
	return highPrivacy(p, p.Letters(), factor, name)
}

// HighPrivacyBest is the mechanism of largest expected utility sum_x P_x sum_y
// p_xy w(x,y) in that corner, over any outputs: form k of HighPrivacy gets the
// output that it suits best, the one of largest
//
//	t sum_x P_x w(x,y) - (t - 1) w(k,y),
//
// and forms with one output become one column. Ties go to the lower output.
// The factor is exact and at most t; the choice is made in floating point. It
// fails as HighPrivacy does and on weights that are not finite.
func HighPrivacyBest(p mechanism.Prior, outputs int, factor *big.Rat, w mechanism.Weights) (*mechanism.Mechanism,
	error) {
	t, _ := factor.Float64()
	mean := make([]mechanism.Sum, outputs)
	row := make([]float64, outputs)
	for x := range p.Letters() {
		w(x, row)
		for y, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("mechanism: weight of letter %d and output %d is not finite", x, y)
			}
			if c := p.Count(x); c > 0 {
				mean[y].Add(float64(c) / float64(p.Total()) * v)
			}
		}
	}
	name := make([]int, p.Letters())
	for k := range name {
		w(k, row)
		best := math.Inf(-1)
		for y, v := range row {
			if g := t*mean[y].Value() - (t-1)*v; g > best {
				best, name[k] = g, y
			}
		}
	}
	return highPrivacy(p, outputs, factor, name)
}

// highPrivacy writes form k in column name[k]. With t = a/b the weights of a
// letter x with records are a c_k for k != x and b n - a (n - c_x) for itself,
// of total b n.
func highPrivacy(p mechanism.Prior, outputs int, factor *big.Rat, name []int) (*mechanism.Mechanism, error) {
	limit := HighPrivacyLimit(p)
	if factor.Cmp(oneOf) < 0 || limit != nil && factor.Cmp(limit) > 0 {
		word := "any"
		if limit != nil {
			word = limit.RatString()
		}
		return nil, fmt.Errorf("mechanism: high-privacy form: factor %s is outside 1 .. %s", factor.RatString(), word)
	}
	if limit == nil {
		factor = oneOf // one letter at most: nothing to tell, whatever t
	}
	n := p.Total()
	if n == 0 {
		row := make([]mechanism.Row, p.Letters())
		for x := range row {
			row[x] = mechanism.UniformRow([]uint16{uint16(name[0])})
		}
		return mechanism.New(outputs, row)
	}
	total := new(big.Int).Mul(factor.Denom(), big.NewInt(n))
	if !factor.Num().IsInt64() || total.BitLen() > 63 || total.Int64() > math.MaxInt64/2+1 {
		return nil, fmt.Errorf("mechanism: high-privacy form: row total %v is above 2^62", total)
	}
	a, d := factor.Num().Int64(), total.Int64()
	row := make([]mechanism.Row, p.Letters())
	weight := make([]int64, outputs)
	for x := range row {
		clear(weight)
		// What form x lacks against a c_x makes the row sum to d.
		lift, sum := a, d
		if p.Count(x) == 0 {
			lift, sum = 1, n
		}
		for k, y := range name {
			if k != x {
				weight[y] += lift * p.Count(k)
				sum -= lift * p.Count(k)
			}
		}
		weight[name[x]] += sum
		for y, v := range weight {
			if v > 0 {
				row[x].Output = append(row[x].Output, uint16(y))
				row[x].Weight = append(row[x].Weight, v)
				row[x].Total += v
			}
		}
	}
	return mechanism.NewReduced(outputs, row)
}

var oneOf = big.NewRat(1, 1)
