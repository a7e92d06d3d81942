package interior

import (
	"math"
	"slices"
)

// retarget moves t when the bounds call for it, returns mu and whether t has
// moved. mu belongs to the point before the move: new columns enter with it.
//
// A primal point that nearly reaches t, or a lower one, shows t feasible: t
// goes down to the middle column between the bounds, or to the lower bound. A
// dual point that proves t too low raises it: to the middle one of the
// columns that appear before the bound of the live columns alone, or else to
// the lower bound (Newton's step).
func (l *least) retarget(mu float64) bool {
	t := l.t
	switch {
	case l.up-t < 0.1*(t-l.lo):
		to := l.lo
		if b := l.between(l.lo, math.Min(l.up, t)); len(b) > 0 {
			to = b[len(b)/2]
		}
		l.shift(to, mu)
		return true
	case l.lo >= t*(1-1e-13):
		to := math.Min(l.up, math.Max(l.dual.own, l.lo))
		b := l.between(math.Max(l.lo, t)*(1+1e-12), to)
		if len(b) > 0 {
			l.shift(b[len(b)/2], mu)
			return true
		}
		if l.lo <= t {
			return false
		}
		l.shift(l.lo, mu)
		return true
	}
	return false
}

// between are the points 1/P(S_j) strictly inside (lo, up).
func (l *least) between(lo, up float64) []float64 {
	a, found := slices.BinarySearch(l.breaks, lo)
	if found {
		a++
	}
	b, _ := slices.BinarySearch(l.breaks, up)
	if a >= b {
		return nil
	}
	return l.breaks[a:b]
}
