package interior

import "math"

// size is the cell of equal rows.
func (it *iterate) size() float64 {
	cells := 0
	for _, set := range it.sets() {
		for _, j := range set {
			cells += len(it.Column[j])
		}
	}
	return float64(it.n) / float64(cells)
}

// equal puts all columns on the central path of mu for the present y, with cells of about mu.
func (it *iterate) equal(mu float64) {
	for _, j := range it.live {
		it.nu[j] = 0
		it.enter(j, mu, it.t*it.mass[j]*mu)
	}
	for _, j := range it.flat {
		it.level(j, mu, mu)
	}
}

// enter puts column j on the central path of mu for the current y: with u
// given it finds nu such that sum P p = u/t, where p d = s z = mu and
// d - z = w = c - y - P nu, that is
//
//	p = 2 mu u / (w u + 2 mu + sqrt((w u)^2 + 4 mu^2)), s the same with -w.
//
// sum P p grows with nu: Newton's method inside a bracket.
func (it *iterate) enter(j int32, mu, u float64) {
	rows := it.Column[j]
	o := it.off[j]
	want := u / it.t
	nu := it.nu[j]
	lo, hi := math.Inf(-1), math.Inf(1)
	for range 80 {
		var sum, slope float64
		for k, i := range rows {
			p, s := split(mu, u, it.cost[o+k]-it.y[i]-it.Prob[i]*nu)
			sum += it.Prob[i] * p
			slope += it.Prob[i] * it.Prob[i] / (mu * (1/(p*p) + 1/(s*s)))
		}
		if math.Abs(sum-want) <= 1e-9*want {
			break
		}
		if sum < want {
			lo = nu
		} else {
			hi = nu
		}
		next := nu - (sum-want)/slope
		if !(next > lo && next < hi) || !finite(next) {
			switch {
			case math.IsInf(lo, -1):
				next = math.Min(2*nu, nu-1)
			case math.IsInf(hi, 1):
				next = math.Max(2*nu, nu+1)
			default:
				next = (lo + hi) / 2
			}
		}
		if next == nu {
			break
		}
		nu = next
	}
	it.nu[j], it.u[j] = nu, u
	for k, i := range rows {
		p, s := split(mu, u, it.cost[o+k]-it.y[i]-it.Prob[i]*nu)
		it.p[o+k], it.s[o+k], it.d[o+k], it.z[o+k] = p, s, mu/p, mu/s
	}
}

func split(mu, u, w float64) (p, s float64) {
	wu := w * u
	root := math.Sqrt(wu*wu + 4*mu*mu)
	return 2 * mu * u / (wu + 2*mu + root), 2 * mu * u / (-wu + 2*mu + root)
}

// level puts a flat column on the central path: u D = mu with D the reduced
// cost, u at most most.
func (it *iterate) level(j int32, mu, most float64) {
	d := 0.0
	for k, i := range it.Column[j] {
		d += it.cost[it.off[j]+k] - it.y[i]
	}
	if !(d*most > mu) {
		d = mu / most
	}
	it.nu[j], it.u[j] = d, mu/d
}
