package optimum

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// columns are the allowed utilities, asked for by output.
type columns struct {
	mass  []float64 // P_x
	value []float64 // [input][output]; -Inf where not allowed
	reach []float64 // P(S_y)
	terms []term    // reused
	top   int       // output to look at first
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
func (c *columns) column(y int, price []float64) []term {
	c.terms = c.terms[:0]
	for x, p := range c.mass {
		if v := c.value[x*len(c.reach)+y]; p > 0 && !math.IsInf(v, -1) {
			c.terms = append(c.terms, term{v - price[x], p})
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

// A term is what one letter adds to an output, per unit of its mass.
type term struct{ gain, mass float64 }

// heaviest is the largest sum of gain times share over shares of the terms
// that have the given mass in all, the last term in part, and the gain of that
// term: a weighted selection, which reorders the terms.
func heaviest(terms []term, left float64) (sum, last float64) {
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
		if last = pivot; left <= 0 {
			break
		}
		terms = terms[hi+1:]
	}
	return sum, last
}
