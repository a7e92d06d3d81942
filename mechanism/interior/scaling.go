package interior

import "math"

// scale forms the per-cell and per-column scalings of the current point and
// factorises the row system. It reports whether a factor was found.
func (it *iterate) scale() bool {
	it.sys.begin()
	it.halves(func(part, first int, cols []int32, row []float64) {
		var x, y []float64
		for f, j := range cols {
			rows := it.Column[j]
			o, m := it.off[j], len(rows)
			p, s, d, z := it.p[o:o+m], it.s[o:o+m], it.d[o:o+m], it.z[o:o+m]
			h, g := it.h[o:o+m], it.g[o:o+m]
			var a, b, c float64
			for k, i := range rows {
				gg, dp, w := z[k]/s[k], d[k]/p[k], it.Prob[i]
				hh := 1 / (dp + gg)
				g[k], h[k] = gg, hh
				row[i] += hh
				a += w * w * hh
				b += w * gg * hh
				c += gg * hh * dp
			}
			b -= 1 / it.t
			det := a*c + b*b
			it.a[j], it.b[j], it.c[j], it.det[j] = a, b, c, det
			if cap(x) < m {
				x, y = make([]float64, m), make([]float64, m)
			}
			x, y = x[:m], y[:m]
			root, lift, ratio := 1/math.Sqrt(a), math.Sqrt(a/det), b/a
			for k, i := range rows {
				w := it.Prob[i]
				x[k] = w * h[k] * root
				y[k] = lift * h[k] * (g[k] - ratio*w)
			}
			it.sys.add(part, first+f, rows, x, y)
		}
	})
	for f, j := range it.flat {
		rows := it.Column[j]
		y := make([]float64, len(rows))
		v := math.Sqrt(it.u[j] / it.nu[j])
		for k := range y {
			y[k] = v
		}
		it.sys.add(0, len(it.live)+f, rows, nil, y)
	}
	diag := it.res
	for i := range diag {
		diag[i] = it.part[0][i] + it.part[1][i]
		if it.surplus {
			diag[i] += it.e[i] / it.y[i]
		}
	}
	return it.sys.factor(diag)
}

// aim sets the complementarity targets to sigma mu minus the products, less
// the second-order term of way when corrected is set (Mehrotra).
func (it *iterate) aim(mu float64, corrected bool) {
	w := &it.way
	it.halves(func(_, _ int, cols []int32, _ []float64) {
		for _, j := range cols {
			for k, end := it.off[j], it.off[j+1]; k < end; k++ {
				it.xd[k] = mu - it.p[k]*it.d[k]
				it.sz[k] = mu - it.s[k]*it.z[k]
				if corrected {
					it.xd[k] -= w.p[k] * w.d[k]
					it.sz[k] -= w.s[k] * w.z[k]
				}
			}
		}
	})
	for _, j := range it.flat {
		it.ux[j] = mu - it.u[j]*it.nu[j]
		if corrected {
			it.ux[j] -= w.u[j] * w.nu[j]
		}
	}
	if it.surplus {
		for i := range it.ey {
			it.ey[i] = mu - it.e[i]*it.y[i]
			if corrected {
				it.ey[i] -= w.e[i] * w.y[i]
			}
		}
	}
}

// centre adds Gondzio's correction: products of the point moved by ap and ad
// along way that leave [mu/10, 10 mu] are sent back to it, none by more than
// 10 mu downwards [Gondzio 1996].
func (it *iterate) centre(mu, ap, ad float64) {
	w := &it.way
	fix := func(v float64) float64 {
		switch {
		case v < mu/10:
			return mu/10 - v
		case v > 10*mu:
			return math.Max(10*mu-v, -10*mu)
		}
		return 0
	}
	it.halves(func(_, _ int, cols []int32, _ []float64) {
		for _, j := range cols {
			for k, end := it.off[j], it.off[j+1]; k < end; k++ {
				it.xd[k] += fix((it.p[k] + ap*w.p[k]) * (it.d[k] + ad*w.d[k]))
				it.sz[k] += fix((it.s[k] + ap*w.s[k]) * (it.z[k] + ad*w.z[k]))
			}
		}
	})
	for _, j := range it.flat {
		it.ux[j] += fix((it.u[j] + ap*w.u[j]) * (it.nu[j] + ad*w.nu[j]))
	}
	if it.surplus {
		for i := range it.ey {
			it.ey[i] += fix((it.e[i] + ap*w.e[i]) * (it.y[i] + ad*w.y[i]))
		}
	}
}
