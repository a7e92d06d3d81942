package mechanism

import "math"

// compensated is a running sum that carries its rounding errors along
// [Neumaier 1974]: the result is as good as one rounding of the exact sum
// unless cancellation exceeds 2^53.
type compensated struct{ sum, rest float64 }

func (c *compensated) add(v float64) {
	t := c.sum + v
	if math.Abs(c.sum) >= math.Abs(v) {
		c.rest += (c.sum - t) + v
	} else {
		c.rest += (v - t) + c.sum
	}
	c.sum = t
}

func (c *compensated) value() float64 { return c.sum + c.rest }
