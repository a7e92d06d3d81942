package interior

import (
	"math"
	"slices"
)

// A snapshot is a point on the infeasible side, kept when t is raised by
// guess, so that a guess that was too high costs no cold start.
type snapshot struct {
	t, mu                   float64
	p, s, d, z, u, nu, y, e []float64
	live, flat              []int32
}

// retarget moves t when the bounds call for it, returns mu and whether t has
// moved. mu belongs to the point before the move: new columns enter with it.
//
// A primal point that nearly reaches t, or a lower one, shows t feasible: t
// goes down to the middle column between the bounds, or to the lower bound. A
// dual point that proves t too low raises it: to the middle one of the
// columns that appear before the bound of the live columns alone, or else to
// the lower bound (Newton's step), or ahead of it by the slope of the value.
func (l *least) retarget(mu float64) bool {
	t := l.t
	switch {
	case l.up-t < 0.1*(t-l.lo):
		to := l.lo
		if b := l.between(l.lo, math.Min(l.up, t)); len(b) > 0 {
			to = b[len(b)/2]
		}
		if l.saved.t > 0 && l.saved.t <= to {
			mu = l.restore()
		}
		l.shift(to, mu)
		return true
	case l.lo >= t*(1-1e-13):
		to := math.Min(l.up, math.Max(l.dual.own, l.lo))
		b := l.between(math.Max(l.lo, t)*(1+1e-12), to)
		if len(b) > 0 {
			l.save(mu)
			l.shift(b[len(b)/2], mu)
			return true
		}
		if l.lo <= t {
			return false
		}
		next := l.lo
		if l.lo-t < (l.up-t)/10 {
			l.raises++
		} else {
			l.raises = 0
		}
		if guess := l.extrapolate(mu); guess > l.lo && guess < l.up && len(l.between(l.lo, guess)) == 0 {
			next = guess
		} else if l.raises >= 4 && finite(l.up) {
			l.raises = 0
			next = math.Sqrt(l.lo * l.up)
		}
		if next > l.lo {
			l.save(mu)
		}
		l.shift(next, mu)
		return true
	}
	return false
}

// extrapolate is where the value would fall to 1 along its tangent,
// dv/dt = -sum nu_j u_j/t^2, once v is known well; 0 before that. The value
// is about convex in t, so the tangent stays on the infeasible side.
func (l *least) extrapolate(mu float64) float64 {
	value, slope, count := 0.0, 0.0, l.n
	for _, y := range l.y {
		value += y
	}
	for _, j := range l.live {
		slope += l.nu[j] * l.u[j]
		count += 2 * len(l.Column[j])
	}
	excess := value - float64(l.n)
	if !(excess > 10*mu*float64(count)) || !(slope > 0) {
		return 0
	}
	return l.t + 0.95*excess*l.t*l.t/slope
}

func (l *least) save(mu float64) {
	v := &l.saved
	v.t, v.mu = l.t, mu
	for _, c := range []struct {
		to   *[]float64
		from []float64
	}{{&v.p, l.p}, {&v.s, l.s}, {&v.d, l.d}, {&v.z, l.z}, {&v.u, l.u}, {&v.nu, l.nu}, {&v.y, l.y}, {&v.e, l.e}} {
		*c.to = append((*c.to)[:0], c.from...)
	}
	v.live, v.flat = l.live, l.flat
}

func (l *least) restore() (mu float64) {
	v := &l.saved
	for _, c := range []struct{ to, from []float64 }{{l.p, v.p}, {l.s, v.s}, {l.d, v.d}, {l.z, v.z},
		{l.u, v.u}, {l.nu, v.nu}, {l.y, v.y}, {l.e, v.e}} {
		copy(c.to, c.from)
	}
	l.t = v.t
	l.use(v.live, v.flat)
	return v.mu
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
