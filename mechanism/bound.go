package mechanism

import (
	"math"
	"math/big"
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
		for _, b := range pricedBounds(p, s, table, best, t) {
			bound = min(bound, b)
		}
	}
	return bound + 1e-12*magnitude
}

// pricedBounds are the bounds of UtilityBound at a_x = share * best_x +
// (1-share) * the mean of best, for several shares.
func pricedBounds(p Prior, s *Support, table, best []float64, t float64) []float64 {
	shares := []float64{0, .5, .7, .8, .9, .95}
	mass := make([]float64, len(best))
	var mean compensated
	for x, b := range best {
		if mass[x] = float64(p.Count(x)) / float64(p.Total()); mass[x] > 0 {
			mean.add(mass[x] * b)
		}
	}
	price := make([][]float64, len(shares))
	base := make([]compensated, len(shares))
	most := make([]float64, len(shares))
	for k, share := range shares {
		most[k] = math.Inf(-1)
		price[k] = make([]float64, len(best))
		for x, b := range best {
			if mass[x] > 0 {
				price[k][x] = share*b + (1-share)*mean.value()
				base[k].add(mass[x] * price[k][x])
			}
		}
	}
	var rows []int
	var terms []term
	for y := range s.Outputs() {
		rows = rows[:0]
		reach := 0.0
		for x, m := range mass {
			if m > 0 && s.Allowed(x, y) {
				rows = append(rows, x)
				reach += m
			}
		}
		if reach < 1/t-1e-12 {
			continue // 1/P(S_y) is above t and y cannot be used
		}
		for k, a := range price {
			terms = terms[:0]
			for _, x := range rows {
				terms = append(terms, term{table[x*s.Outputs()+y] - a[x], mass[x]})
			}
			most[k] = max(most[k], t*heaviest(terms, 1/t))
		}
	}
	for k, b := range base {
		if math.IsInf(most[k], -1) {
			most[k] = math.Inf(1)
		}
		most[k] += b.value()
	}
	return most
}

// A term is what one letter adds to an output, per unit of its mass.
type term struct{ gain, mass float64 }

// heaviest is the largest sum of gain times share over shares of the terms
// that have the given mass in all, the last term in part: a weighted
// selection, which reorders the terms.
func heaviest(terms []term, left float64) float64 {
	sum := 0.0
	for len(terms) > 0 {
		lo, hi := 0, len(terms)-1
		a, b, c := terms[0].gain, terms[hi/2].gain, terms[hi].gain
		pivot := max(min(a, b), min(max(a, b), c))
		upper, part := 0.0, 0.0 // of the terms above the pivot
		for k := 0; k <= hi; {
			switch v := terms[k]; {
			case v.gain > pivot:
				upper += v.mass
				part += v.mass * v.gain
				terms[lo], terms[k] = v, terms[lo]
				lo++
				k++
			case v.gain < pivot:
				terms[hi], terms[k] = v, terms[hi]
				hi--
			default:
				k++
			}
		}
		if upper >= left {
			terms = terms[:lo]
			continue
		}
		sum += part
		left -= upper
		for _, v := range terms[lo : hi+1] {
			take := min(left, v.mass)
			sum += take * pivot
			left -= take
		}
		if left <= 0 {
			break
		}
		terms = terms[hi+1:]
	}
	return sum
}
