package optimum

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// LowerBound is a factor that no mechanism with this support goes below: some
// letter x must give an output of B_x, and output y leaks at least 1/P(S_y)
// [SO, Lemma 2], so max over x with records of min over B_x of 1/P(S_y). It is
// 1 where some output is allowed for every letter. Under further priors an
// output leaks at least the most of 1/P(S_y) under any for which the letter
// has records.
func LowerBound(p mechanism.Prior, s *mechanism.Support, also ...mechanism.Prior) (*big.Rat, error) {
	// A letter without records under a prior may use a column that the others leave
	// alone, so that only the priors of the letter itself count.
	prior := append([]mechanism.Prior{p}, also...)
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
		if p := s.Parts(); p != nil {
			row = p.Row(x)[:1] // the letters that give it are those that give the others
		} else {
			row = s.AppendRow(row[:0], x)
		}
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
	if t, ok := o.(*mechanism.Tree); ok && n*m > FitCells { // a floor of a tree allows each letter its best
		return bestBound(p, t.Best)
	}
	if near, ok := o.(mechanism.Nearby); ok && n*m > FitCells {
		return bestBound(p, func(x int) float64 { return near.Value(x, int(near.Best(x, 1)[0])) })
	}
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

// bestBound is what it comes to if every letter gets its best output.
func bestBound(p mechanism.Prior, best func(x int) float64) float64 {
	var sum mechanism.Sum
	magnitude := 0.0
	for x, c := range p.Counts() {
		if c > 0 {
			v := best(x)
			magnitude = max(magnitude, math.Abs(v))
			sum.Add(float64(c) / float64(p.Total()) * v)
		}
	}
	return sum.Value() + 1e-12*magnitude
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

// columns are the allowed utilities, asked for by output.
type columns struct {
	mass  []float64                // P_x
	value []float64                // [input][output]; -Inf where not allowed
	reach []float64                // P(S_y)
	terms []interior.Item[float64] // reused
	top   int                      // output to look at first
}

func newColumns(p mechanism.Prior, outputs int) *columns {
	c := &columns{mass: make([]float64, p.Letters()), reach: make([]float64, outputs)}
	for x := range c.mass {
		c.mass[x] = float64(p.Count(x)) / float64(p.Total())
	}
	c.value = make([]float64, outputs*p.Letters())
	return c
}

// row is that of letter x, for its utilities.
func (c *columns) row(x int) []float64 { return c.value[x*len(c.reach):][:len(c.reach)] }

// add sums the reach once all rows are there.
func (c *columns) add() {
	for x, p := range c.mass {
		for y, v := range c.row(x) {
			if !math.IsInf(v, -1) {
				c.reach[y] += p
			}
		}
	}
}

// most is the largest max_v sum_x P_x v_x (u'(x,y) - a_x) of all outputs; -Inf
// where none of them can be used within factor t. It ends early, at the limit.
//
// At any level the inner maximum is at most t sum_x P_x (u'(x,y) - a_x -
// level)+ + level, and at its own least gain it is just that. So the least gain
// of one output bounds all others in one pass over the rows, and few outputs,
// the most promising first, are left to look at.
func (c *columns) most(price []float64, t, limit float64) float64 {
	var usable []int
	for y, p := range c.reach {
		if p >= 1/t-1e-12 { // else 1/P(S_y) is above t
			usable = append(usable, y)
		}
	}
	if len(usable) == 0 {
		return math.Inf(-1)
	}
	if !slices.Contains(usable, c.top) {
		c.top = usable[len(usable)/2]
	}
	sum, level := heaviest(c.column(c.top, price), 1/t)
	most := t * sum
	if most >= limit {
		return most
	}
	over := c.over(price, level)
	slices.SortStableFunc(usable, func(a, b int) int { return cmp.Compare(over[b], over[a]) })
	for _, y := range usable {
		if most >= limit || t*over[y]+level < most-1e-10*(t*over[y]+math.Abs(level)) {
			break
		}
		if sum, _ := heaviest(c.column(y, price), 1/t); t*sum > most {
			most, c.top = t*sum, y
		}
	}
	return most
}

// column are the terms of output y.
func (c *columns) column(y int, price []float64) []interior.Item[float64] {
	c.terms = c.terms[:0]
	for x, p := range c.mass {
		if v := c.value[x*len(c.reach)+y]; p > 0 && !math.IsInf(v, -1) {
			c.terms = append(c.terms, interior.Item[float64]{Gain: v - price[x], Mass: p})
		}
	}
	return c.terms
}

// over is sum_x P_x (u'(x,y) - a_x - level)+ by output.
func (c *columns) over(price []float64, level float64) []float64 {
	sum := make([]float64, len(c.reach))
	for x, p := range c.mass {
		if p == 0 {
			continue
		}
		cut := price[x] + level
		for y, v := range c.row(x) {
			if v > cut {
				sum[y] += p * (v - cut)
			}
		}
	}
	return sum
}

// heaviest is the largest sum of gain times share over shares of the items that have the given
// mass in all, the last in part, and the gain of that one. It reorders the items.
func heaviest(items []interior.Item[float64], left float64) (sum, last float64) {
	interior.Greedy(items)
	for _, v := range items {
		take := min(left, v.Mass)
		sum += take * v.Gain
		if last, left = v.Gain, left-take; left <= 0 {
			break
		}
	}
	return sum, last
}
