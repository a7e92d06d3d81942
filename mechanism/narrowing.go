package mechanism

import "math"

// A narrowing is the bracket of the least factor at which the largest utility
// reaches a goal. That utility never falls as the factor grows and is about
// concave, so that its tangents cross the goal too early and its chords too
// late.
type narrowing struct {
	goal      float64
	slack     float64 // what over was at first
	low, high float64 // the factor lies between
	over      float64 // the utility at high less the goal
	at, under float64 // the last factor that was too low, and the goal less its utility; 0 before
	aim       float64 // where the last tangents cross; 0 before
	probes    int
	width     [2]float64 // of the logarithms, at the last two
	chord     bool       // it is its turn
}

// narrow is the relative width of a narrowing that is good enough.
const narrow = 1e-6

func (n *narrowing) open() bool { return n.high > n.low*(1+narrow) }

// next is the factor to solve at: at first just below a mechanism that does
// not use up its factor, since the prices of such say little, and in the
// middle while the utility stays level; then in turn where the chord and where
// a tangent crosses the goal, and in the middle where two of them have not
// halved the bracket.
func (n *narrowing) next() float64 {
	width := math.Log(n.high / n.low)
	n.probes++
	at := n.low
	switch chord, tangent := n.under > 0, n.aim > n.low; {
	case n.probes == 1 && width > 1e-3 && !tangent:
		at = n.high * (1 - 1e-3)
	case n.probes > 1 && n.over > .99*n.slack && width > math.Ln2:
		at = math.Sqrt(math.Max(n.low, n.aim) * n.high)
	case n.probes > 3 && width > n.width[0]/2:
		at = math.Sqrt(n.low * n.high)
	case chord && (n.chord || !tangent):
		at = n.at + (n.high-n.at)*n.under/(n.under+n.over)
		n.chord = false
	case tangent:
		at = n.aim * (1 + .2*narrow)
		n.chord = true
	}
	n.width = [2]float64{n.width[1], width}
	return math.Min(math.Max(at, n.low*(1+.4*narrow)), n.high*(1-.9*narrow))
}

// above takes the slope of the utility at high, 0 where it is not known.
func (n *narrowing) above(slope float64) {
	if slope > 0 {
		n.aim = math.Max(n.aim, n.high-n.over/slope)
	}
}

// below takes the slope at the factor that was too low.
func (n *narrowing) below(slope float64) {
	if slope > 0 {
		n.aim = math.Max(n.aim, n.at+n.under/slope)
	}
}
