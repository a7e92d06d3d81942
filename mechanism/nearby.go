package mechanism

// A Nearby is an order that values one output at a time, and finds the best outputs of a
// letter without those that are worse: by distance, which is minus the value, they are
// the nearest. What a floor of
// few outputs costs then needs no table of letters by outputs. All outputs are allowed to
// every letter. What it says is what Row says.
type Nearby interface {
	Order
	Value(x, y int) float64
	Rank(x, y int) int
	// Best are the k outputs of highest rank, the best first.
	Best(x, k int) []uint16
	// Worst is the output of lowest rank among some, of which there is one at least.
	Worst(x int, of []uint16) int
	// Within are the outputs worth at least floor, in ascending order.
	Within(x int, floor float64) []uint16
}

// A Line is such an order along a line, or around a circle.
type Line interface {
	Nearby
	// Places are those of the inputs and outputs, the length of the circle, 0 for a line,
	// and the places to a unit of value.
	Places() (in, out []uint64, around uint64, scale float64)
	// Along are the outputs by place, of equal ones the lower first.
	Along() []uint16
}

// A Placed order is such an order by the distance of points.
type Placed interface {
	Nearby
	// Coordinates are those of an input letter.
	Coordinates(x int) []float64
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
