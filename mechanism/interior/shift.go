package interior

import "math"

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
			l.nu[j] = 0
			l.enter(j, mu, l.room(j, mu, typical))
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
			l.level(j, mu, l.room(j, mu, typical))
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

// room is the most that the u of a new column j may be: what it adds to the
// surplus products e_i y_i should stay of the order of mu.
func (l *least) room(j int32, mu, typical float64) float64 {
	y := 0.0
	for _, i := range l.Column[j] {
		y += l.y[i]
	}
	return math.Min(typical, 30*mu*float64(len(l.Column[j]))/y)
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
