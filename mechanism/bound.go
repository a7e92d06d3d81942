package mechanism

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// LowerBound is a factor that no mechanism with this support goes below: some
// letter x must give an output of B_x, and output y leaks at least 1/P(S_y)
// [SO, Lemma 2], so max over x with records of min over B_x of 1/P(S_y). It is
// 1 where some output is allowed for every letter.
func LowerBound(p Prior, s *Support) (*big.Rat, error) {
	f, err := newFlat(p, s)
	if err != nil {
		return nil, err
	}
	if p.Total() == 0 {
		return big.NewRat(1, 1), nil
	}
	return big.NewRat(p.Total(), f.ceiling), nil
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
func UtilityBound(p Prior, o Order, s *Support, factor *big.Rat) float64 {
	if p.Total() == 0 {
		return 0
	}
	n, m := s.Inputs(), s.Outputs()
	best := make([]float64, n)
	value := make([]float64, m)
	small := n*m <= 1<<20
	var table []float64
	var sum compensated
	magnitude := 0.0
	for x := range n {
		o.Row(x, nil, value)
		best[x] = math.Inf(-1)
		for y, v := range value {
			if s.Allowed(x, y) {
				best[x] = max(best[x], v)
				magnitude = max(magnitude, math.Abs(v))
			}
		}
		if p.Count(x) > 0 {
			sum.add(float64(p.Count(x)) / float64(p.Total()) * best[x])
		}
		if small {
			table = append(table, value...)
		}
	}
	bound := sum.value()
	if small {
		t, _ := factor.Float64()
		for _, share := range []float64{0, .5, .7, .8, .9, .95} {
			bound = min(bound, pricedBound(p, s, table, best, share, t))
		}
	}
	return bound + 1e-12*magnitude
}

// pricedBound is the bound of UtilityBound at a_x = share * best_x + (1-share)
// * the mean of best.
func pricedBound(p Prior, s *Support, table, best []float64, share, t float64) float64 {
	type term struct{ gain, mass float64 }
	total := float64(p.Total())
	var mean, base compensated
	for x := range best {
		if c := p.Count(x); c > 0 {
			mean.add(float64(c) / total * best[x])
		}
	}
	price := func(x int) float64 { return share*best[x] + (1-share)*mean.value() }
	for x := range best {
		if c := p.Count(x); c > 0 {
			base.add(float64(c) / total * price(x))
		}
	}
	most := math.Inf(-1)
	terms := make([]term, 0, len(best))
	for y := range s.Outputs() {
		terms = terms[:0]
		for x := range best {
			if c := p.Count(x); c > 0 && s.Allowed(x, y) {
				terms = append(terms, term{table[x*s.Outputs()+y] - price(x), float64(c) / total})
			}
		}
		slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(b.gain, a.gain) })
		left, sum := 1/t, 0.0
		for _, k := range terms {
			take := min(left, k.mass)
			sum += t * take * k.gain
			left -= take
		}
		if left <= 1e-12 { // else 1/P(S_y) is above t and y cannot be used
			most = max(most, sum)
		}
	}
	if math.IsInf(most, -1) {
		return math.Inf(1)
	}
	return base.value() + most
}
