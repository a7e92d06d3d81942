package optimum

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// LowerBound is a factor that no mechanism with this support goes below: some
// letter x must give an output of B_x, and output y leaks at least 1/P(S_y)
// [SO, Lemma 2], so max over x with records of min over B_x of 1/P(S_y). It is
// 1 where some output is allowed for every letter. Under further priors an
// output leaks at least the most of 1/P(S_y) under any for which the letter
// has records.
func LowerBound(p mechanism.Prior, s *mechanism.Support, also ...mechanism.Prior) (*big.Rat, error) {
	if len(also) > 0 {
		return lowerBounds(append([]mechanism.Prior{p}, also...), s)
	}
	f, err := NewFlatSearch(p, s)
	if err != nil {
		return nil, err
	}
	return f.Bound(), nil
}

// lowerBounds is LowerBound under several priors. A letter without records
// under a prior may use a column that the others leave alone, so that only
// the priors of the letter itself count.
func lowerBounds(prior []mechanism.Prior, s *mechanism.Support) (*big.Rat, error) {
	if x := s.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	mass := make([][]int64, len(prior))
	for k, p := range prior {
		mass[k] = s.Mass(p)
	}
	bound := fraction{1, 1}
	var row []uint16
	for x := range s.Inputs() {
		var least fraction
		row = s.AppendRow(row[:0], x)
		for i, y := range row {
			cost := fraction{1, 1}
			for k, p := range prior {
				if p.Count(x) > 0 {
					if c := (fraction{p.Total(), mass[k][y]}); cost.less(c) {
						cost = c
					}
				}
			}
			if i == 0 || cost.less(least) {
				least = cost
			}
		}
		if bound.less(least) {
			bound = least
		}
	}
	return big.NewRat(bound.num, bound.den), nil
}

// A fraction of positive counts.
type fraction struct{ num, den int64 }

func (f fraction) less(g fraction) bool { return product(f.num, g.den).less(product(g.num, f.den)) }

// UtilityBound is at least the expected utility of every mechanism with this
// support and factor, up to floating-point rounding, which is allowed for.
//
// A column is q_y times a lift v with sum P_x v_x = 1 and 0 <= v_x <= t off
// which rows sum to 1, so for any prices a_x the expected utility is at most
// sum_x P_x a_x + max_y max_v sum_x P_x v_x (u'(x,y) - a_x): the inner maximum
// takes the largest terms up to the mass 1/t. The prices tried lie between
// none and the best allowed utility of each row, where the bound is the
// expectation of that; larger alphabets get only the latter.
func UtilityBound(p mechanism.Prior, o mechanism.Order, s *mechanism.Support, factor *big.Rat) float64 {
	if p.Total() == 0 {
		return 0
	}
	n, m := s.Inputs(), s.Outputs()
	best := make([]float64, n)
	value := make([]float64, m)
	var c *columns
	if n*m <= 1<<20 {
		c = newColumns(p, m)
	}
	var sum mechanism.Sum
	magnitude := 0.0
	for x := range n {
		if c != nil {
			value = c.row(x)
		}
		o.Row(x, nil, value)
		best[x] = math.Inf(-1)
		for y, v := range value {
			if s.Allowed(x, y) {
				best[x] = max(best[x], v)
				magnitude = max(magnitude, math.Abs(v))
			} else {
				value[y] = math.Inf(-1)
			}
		}
		if p.Count(x) > 0 {
			sum.Add(float64(p.Count(x)) / float64(p.Total()) * best[x])
		}
	}
	bound := sum.Value()
	if c != nil {
		t, _ := factor.Float64()
		c.add()
		bound = min(bound, pricedBound(c, best, t))
	}
	return bound + 1e-12*magnitude
}

// pricedBound is the least of the bounds of UtilityBound at a_x = share *
// best_x + (1-share) * the mean of best, over several shares.
func pricedBound(c *columns, best []float64, t float64) float64 {
	var mean mechanism.Sum
	for x, b := range best {
		if c.mass[x] > 0 {
			mean.Add(c.mass[x] * b)
		}
	}
	bound := math.Inf(1)
	price, last := make([]float64, len(best)), make([]float64, len(best))
	for k, share := range []float64{0, .5, .7, .8, .9, .95} {
		var base mechanism.Sum
		for x, b := range best {
			if c.mass[x] > 0 {
				price[x] = mean.Value() + share*(b-mean.Value())
				base.Add(c.mass[x] * price[x])
			}
		}
		if k > 0 && slices.Equal(price, last) {
			break // all letters have the same best utility
		}
		if most := c.most(price, t, bound-base.Value()); !math.IsInf(most, -1) {
			bound = min(bound, base.Value()+most)
		}
		price, last = last, price
	}
	return bound
}
