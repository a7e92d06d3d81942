package optimum

import (
	"math"
	"testing"
)

// TestNarrowingIsQuick: on concave functions the true factor stays within the
// bracket, and it is closed after few solves, also far from where it began.
func TestNarrowingIsQuick(t *testing.T) {
	for _, c := range []struct {
		value, slope func(float64) float64
		high         float64
	}{
		{func(t float64) float64 { return -1 / t }, func(t float64) float64 { return 1 / (t * t) }, 1e6},
		{func(t float64) float64 { return math.Sqrt(t) }, func(t float64) float64 { return .5 / math.Sqrt(t) }, 4},
		{func(t float64) float64 { return math.Min(t, 3+t/100) }, func(t float64) float64 {
			if t > 300/99. {
				return .01
			}
			return 1
		}, 50},
		{func(t float64) float64 { return math.Min(t, 10) }, func(t float64) float64 {
			if t > 10 {
				return 0
			}
			return 1
		}, 5000},
	} {
		for _, slack := range []float64{1e-7, 1e-3} {
			n := &narrowing{goal: c.value(c.high) - slack, slack: slack, low: 1, high: c.high, over: slack}
			for n.open() {
				at := n.next()
				if !(at > n.low && at < n.high) || n.probes > 12 {
					t.Fatalf("solve %d at %v, outside %v .. %v", n.probes, at, n.low, n.high)
				}
				if v := c.value(at); v >= n.goal {
					n.high, n.over = at, v-n.goal
					n.above(c.slope(at))
				} else {
					n.at, n.low, n.under = at, at, n.goal-v
					n.below(c.slope(at))
				}
			}
			if !(c.value(n.low) < n.goal) || !(c.value(n.high) >= n.goal) {
				t.Errorf("bracket %v .. %v, values %v and %v around %v", n.low, n.high, c.value(n.low), c.value(n.high),
					n.goal)
			}
		}
	}
}
