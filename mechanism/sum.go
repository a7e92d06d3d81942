package mechanism

import "math"

// A Sum is a running sum that carries its rounding errors along
// [Neumaier 1974]: the result is as good as one rounding of the exact sum
// unless cancellation exceeds 2^53.
type Sum struct{ sum, rest float64 }

// Add adds v.
func (c *Sum) Add(v float64) {
	t := c.sum + v
	if math.Abs(c.sum) >= math.Abs(v) {
		c.rest += (c.sum - t) + v
	} else {
		c.rest += (v - t) + c.sum
	}
	c.sum = t
}

// Value is the sum so far.
func (c *Sum) Value() float64 { return c.sum + c.rest }
