package optimum

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/flat"
	"github.com/tacet-privacy/tacet/mechanism/neumaier"
)

// LowerBound is a factor that no mechanism with this support goes below: some
// letter x must give an output of B_x, and output y leaks at least 1/P(S_y)
// [SO, Lemma 2], so max over x with records of min over B_x of 1/P(S_y). It is
// 1 where some output is allowed for every letter.
func LowerBound(p mechanism.Prior, s *mechanism.Support) (*big.Rat, error) {
	f, err := flat.New(p, s)
	if err != nil {
		return nil, err
	}
	if p.Total() == 0 {
		return big.NewRat(1, 1), nil
	}
	return big.NewRat(p.Total(), f.Ceiling), nil
}

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
	var sum neumaier.Sum
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
	var mean neumaier.Sum
	for x, b := range best {
		if c.mass[x] > 0 {
			mean.Add(c.mass[x] * b)
		}
	}
	bound := math.Inf(1)
	price, last := make([]float64, len(best)), make([]float64, len(best))
	for k, share := range []float64{0, .5, .7, .8, .9, .95} {
		var base neumaier.Sum
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
