package mechanism

import "math"

// A Nearby is an order that values one output at a time, and finds the best outputs of a
// letter without those that are worse: by distance, they are the nearest. What a floor of
// few outputs costs then needs no table of letters by outputs. All outputs are allowed to
// every letter. What it says is what Row says.
type Nearby interface {
	Order
	Value(x, y int) float64
	Rank(x, y int) int
	// Best are the k outputs of highest rank, the best first.
	Best(x, k int) []uint16
	// Within are the outputs worth at least floor, in ascending order.
	Within(x int, floor float64) []uint16
}

// ValuesAt sets the values of the listed outputs of letter x, and perhaps others.
func ValuesAt(o Order, x int, output []uint16, value []float64) {
	n, ok := o.(Nearby)
	if !ok {
		o.Row(x, nil, value)
		return
	}
	for _, y := range output {
		value[y] = n.Value(x, int(y))
	}
}

// worst is the least rank and the least value of what row x gives: ranks follow values,
// and of equals the lower output ranks lower.
func worst(n Nearby, x int, r Row) (rank int, value float64) {
	at := -1
	value = math.Inf(1)
	for _, y := range r.Output {
		if v := n.Value(x, int(y)); v < value {
			at, value = int(y), v
		}
	}
	return n.Rank(x, at), value
}

// supportOf is SupportOf for such an order.
func supportOf(n Nearby, f Floor) *Support {
	s := NewSupport(n.Inputs(), n.Outputs())
	for x := range s.inputs {
		var allowed []uint16
		if f.ByValue {
			allowed = n.Within(x, f.Value)
		} else {
			allowed = n.Best(x, min(max(s.outputs-f.Rank+1, 0), s.outputs))
		}
		for _, y := range allowed {
			s.Allow(x, int(y))
		}
	}
	return s
}
