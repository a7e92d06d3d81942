package optimum

import "math"

// A narrowing is the bracket of the least factor at which the largest utility
// loses no more than slack. That utility never falls as the factor grows and
// is about concave, so that its tangents cross the goal too early.
type narrowing struct {
	goal, slack float64
	low, high   float64 // the factor lies between
	over        float64 // the utility at high less the goal; slack at first
	at, under   float64 // the last factor that was too low, and the goal less its utility; 0 before
	aim         float64 // where the last tangents cross; 0 before
	spare       bool    // the mechanism of high does not use up the factor it was made for
	probes      int
	width       [2]float64 // of the logarithms, at the last two
	chord       bool       // it is its turn
}

// narrow is the relative width of a narrowing that is good enough. So is a
// mechanism that gives up a third of the slack: it is the most useful one of its
// factor.
const narrow = 1e-6

func (n *narrowing) open() bool {
	return n.high > n.low*(1+narrow) && n.over > .7*n.slack
}

// next is the factor to solve at: where a tangent at high crosses the goal, or
// at first just below a mechanism that does not use up its factor, since its
// prices say little; the middle of a wide bracket; the crossings of chord and
// tangent in turn in a narrow one, and its middle where these stall. They are
// all aimed a little above the goal.
func (n *narrowing) next() float64 {
	const wide = .15
	width := math.Log(n.high / n.low)
	n.probes++
	at := math.Sqrt(n.low * n.high)
	tangent := n.aim > n.low && n.aim < n.high
	switch {
	case n.probes == 1 && tangent:
		at = n.aim
	case n.probes == 1 && n.spare && width > 1e-3:
		at = n.high * (1 - 1e-3)
	case width > wide && tangent:
		at = math.Max(at, n.aim)
	case width > wide || n.probes > 3 && width > n.width[0]/2:
	case n.under > 0 && (n.chord || !tangent):
		at = n.at + (n.high-n.at)*(n.under+n.lift())/(n.under+n.over)
		n.chord = false
	case tangent:
		at = n.aim
		n.chord = true
	}
	n.width = [2]float64{n.width[1], width}
	return math.Min(math.Max(at, n.low*(1+.4*narrow)), n.high*(1-.9*narrow))
}

// lift is what is aimed at above the goal: between it and what is open.
func (n *narrowing) lift() float64 { return .35 * n.slack }

// above takes the slope of the utility at high, 0 where it is not known.
func (n *narrowing) above(slope float64) {
	if slope > 0 {
		n.aim = math.Max(n.aim, n.high-(n.over-n.lift())/slope)
	}
}

// below takes the slope at the factor that was too low.
func (n *narrowing) below(slope float64) {
	if v := n.at + (n.under+n.lift())/slope; slope > 0 && v < n.high {
		n.aim = math.Max(n.aim, v)
	}
}
