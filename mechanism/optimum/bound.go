package optimum

import (
	"cmp"
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
		if c != nil {
			c.set(x, value)
		}
	}
	bound := sum.Value()
	if c != nil {
		t, _ := factor.Float64()
		bound = min(bound, pricedBound(c, best, t))
	}
	return bound + 1e-12*magnitude
}

// pricedBound is the least of the bounds of UtilityBound at a_x = share *
// best_x + (1-share) * the mean of best, over several shares. Every output
// raises a bound, so a share is left as soon as it is no better than another; a
// few outputs, spread over all, tell which share to try first.
func pricedBound(c *columns, best []float64, t float64) float64 {
	var mean neumaier.Sum
	for x, b := range best {
		if c.mass[x] > 0 {
			mean.Add(c.mass[x] * b)
		}
	}
	type offer struct {
		price          []float64
		base, estimate float64
	}
	var offers []offer
	for _, share := range []float64{0, .5, .7, .8, .9, .95} {
		o := offer{price: make([]float64, len(best))}
		var base neumaier.Sum
		for x, b := range best {
			if c.mass[x] > 0 {
				o.price[x] = mean.Value() + share*(b-mean.Value())
				base.Add(c.mass[x] * o.price[x])
			}
		}
		if len(offers) > 0 && slices.Equal(o.price, offers[0].price) {
			break // all letters have the same best utility
		}
		o.base = base.Value()
		o.estimate = o.base + c.most(o.price, t, 1+len(c.reach)/16, math.Inf(1))
		offers = append(offers, o)
	}
	slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.estimate, b.estimate) })
	bound := math.Inf(1)
	for _, o := range offers {
		if most := c.most(o.price, t, 1, bound-o.base); !math.IsInf(most, -1) {
			bound = min(bound, o.base+most)
		}
	}
	return bound
}

// columns are the allowed utilities by output, of letters with records.
type columns struct {
	mass  []float64 // P_x
	value []float64 // [output][input]; -Inf where not allowed
	reach []float64 // P(S_y)
	terms []term    // reused
}

func newColumns(p mechanism.Prior, outputs int) *columns {
	c := &columns{mass: make([]float64, p.Letters()), reach: make([]float64, outputs)}
	for x := range c.mass {
		c.mass[x] = float64(p.Count(x)) / float64(p.Total())
	}
	c.value = make([]float64, outputs*p.Letters())
	c.terms = make([]term, 0, p.Letters())
	return c
}

// set takes the row of letter x.
func (c *columns) set(x int, row []float64) {
	for y, v := range row {
		if c.mass[x] == 0 {
			v = math.Inf(-1)
		} else if !math.IsInf(v, -1) {
			c.reach[y] += c.mass[x]
		}
		c.value[y*len(c.mass)+x] = v
	}
}

// most is the largest max_v sum_x P_x v_x (u'(x,y) - a_x) of every step-th
// output; -Inf where none of them can be used within factor t. It ends early,
// at the limit.
func (c *columns) most(price []float64, t float64, step int, limit float64) float64 {
	most := math.Inf(-1)
	for y := 0; y < len(c.reach) && most < limit; y += step {
		if c.reach[y] < 1/t-1e-12 {
			continue // 1/P(S_y) is above t and y cannot be used
		}
		c.terms = c.terms[:0]
		for x, v := range c.value[y*len(c.mass):][:len(c.mass)] {
			if !math.IsInf(v, -1) {
				c.terms = append(c.terms, term{v - price[x], c.mass[x]})
			}
		}
		most = max(most, t*heaviest(c.terms, 1/t))
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
