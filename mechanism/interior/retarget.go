package interior

import (
	"math"
	"slices"
)

// retarget moves t when the bounds call for it and reports whether it did.
func (l *least) retarget(mu float64) bool {
	t := l.t
	switch {
	case l.up < t:
		t = l.lo
		if b := l.between(l.lo, l.up); len(b) > 0 {
			t = b[len(b)/2]
		}
	case l.lo >= t*(1-1e-13):
		to := math.Min(l.up, math.Max(l.dual.own, l.lo))
		b := l.between(math.Max(l.lo, t)*(1+1e-12), to)
		switch {
		case len(b) > 0:
			t = b[len(b)/2]
		case l.lo > t:
			if l.lo-t < (l.up-t)/10 {
				l.raises++
			} else {
				l.raises = 0
			}
			t = l.lo
			if l.raises >= 4 && finite(l.up) {
				l.raises = 0
				t = math.Sqrt(l.lo * l.up)
			}
		}
	}
	if t == l.t {
		return false
	}
	l.shift(t, mu)
	return true
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

// shift moves t and keeps the point: a column that stays live keeps its p and
// u/t; new ones enter centred; mass that comes or goes is surplus.
func (l *least) shift(t, mu float64) {
	before := make([]float64, l.n)
	l.sums(before)
	was := make([]int8, len(l.mass))
	typical, used := 0.0, 0.0
	for _, j := range l.live {
		was[j] = 1
		typical += l.u[j]
		used++
	}
	for _, j := range l.flat {
		was[j] = 2
		typical += l.u[j]
		used++
	}
	typical /= math.Max(used, 1)
	old := l.t
	l.t = t
	live, flat := l.classes(t)
	for _, j := range live {
		switch was[j] {
		case 0:
			l.admit(j, mu, typical)
		case 1:
			l.stretch(j, mu, t/old)
		case 2:
			u := l.u[j]
			l.nu[j] = 0
			l.enter(j, mu, u)
		}
	}
	for _, j := range flat {
		switch was[j] {
		case 0:
			l.level(j, mu, typical)
		case 1:
			u := l.u[j] * t / old
			l.u[j], l.nu[j] = u, mu/u
		}
	}
	l.use(live, flat)
	after := make([]float64, l.n)
	l.sums(after)
	for i := range l.e {
		if v := l.e[i] + after[i] - before[i]; v > l.e[i]/2 {
			l.e[i] = v
		} else {
			l.e[i] /= 2
		}
	}
}

// stretch carries a live column to t times factor.
func (l *least) stretch(j int32, mu, factor float64) {
	du := l.u[j] * (factor - 1)
	o, end := l.off[j], l.off[j+1]
	for k := o; k < end; k++ {
		if !(l.s[k]+du > l.s[k]/10) {
			l.enter(j, mu, l.u[j]*factor)
			return
		}
	}
	l.u[j] += du
	for k := o; k < end; k++ {
		l.s[k] += du
	}
}
