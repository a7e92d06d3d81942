package interior

import "math"

// direct solves for way with the targets xd, sz, ux, ey; scale and measure
// have run at this point. It reports whether the direction is finite.
func (it *iterate) direct() bool {
	it.halves(func(_ int, cols []int32, row []float64) {
		for _, j := range cols {
			it.eliminate(j, row)
		}
	})
	for i := range it.rhs {
		it.rhs[i] = it.rp[i] - it.part[0][i] - it.part[1][i]
		if it.surplus {
			it.rhs[i] += it.ey[i] / it.y[i]
		}
	}
	for _, j := range it.flat {
		v, _ := it.yield(j, it.reduced(j), 0)
		for _, i := range it.Column[j] {
			it.rhs[i] -= v
		}
	}
	dy := it.way.y
	copy(dy, it.rhs)
	it.sys.solve(dy)
	it.way.theta = 0
	last := math.Inf(1)
	for round := 0; ; round++ {
		worst := it.substitute()
		if !(worst > 1e-12) || !(worst < last/2) || round == 4 {
			break
		}
		last = worst
		fix := it.res
		it.sys.solve(fix)
		it.mend(fix)
	}
	for _, v := range dy {
		if !finite(v) {
			return false
		}
	}
	return true
}

// reduced is the residual of D_j of a flat column.
func (it *iterate) reduced(j int32) float64 {
	v := -it.nu[j]
	for k, i := range it.Column[j] {
		v += it.cost[it.off[j]+k] - it.y[i]
	}
	return v
}

// eliminate forms R, k1, k2 of column j and adds its part of the right side,
// sum_j h R + h (P (c k1 + b k2) + g (b k1 - a k2))/D, to row.
func (it *iterate) eliminate(j int32, row []float64) {
	rows := it.Column[j]
	o := it.off[j]
	p, s, d, z := it.p[o:][:len(rows)], it.s[o:][:len(rows)], it.d[o:][:len(rows)], it.z[o:][:len(rows)]
	ip, is := it.ip[o:][:len(rows)], it.is[o:][:len(rows)]
	h, g, r := it.h[o:][:len(rows)], it.g[o:][:len(rows)], it.r[o:][:len(rows)]
	cost, xd, sz := it.cost[o:][:len(rows)], it.xd[o:][:len(rows)], it.sz[o:][:len(rows)]
	u, nu := it.u[j], it.nu[j]
	k1, k2 := u/it.t, nu/it.t+it.quota.pull(j, u)
	for k, i := range rows {
		w := it.Prob[i]
		rs := (u - p[k]) - s[k]
		rd := cost[k] - it.y[i] - w*nu - d[k] + z[k]
		v := sz[k]*is[k] - g[k]*rs
		r[k] = xd[k]*ip[k] - v - rd
		hr := h[k] * r[k]
		k1 -= w * (p[k] + hr)
		k2 -= z[k] + v + g[k]*hr
	}
	it.k1[j], it.k2[j] = k1, k2
	a, b, c, det := it.a[j], it.b[j], it.c[j], it.det[j]
	f1, f2 := (c*k1+b*k2)/det, (b*k1-a*k2)/det
	for k, i := range rows {
		row[i] += h[k] * (r[k] + it.Prob[i]*f1 + g[k]*f2)
	}
}

// substitute fills way from way.y, leaves the true row residual in res and
// returns its largest entry.
func (it *iterate) substitute() float64 {
	w := &it.way
	it.halves(func(_ int, cols []int32, row []float64) {
		for _, j := range cols {
			rows := it.Column[j]
			o := it.off[j]
			p, s, d, z := it.p[o:][:len(rows)], it.s[o:][:len(rows)], it.d[o:][:len(rows)], it.z[o:][:len(rows)]
			ip, is := it.ip[o:][:len(rows)], it.is[o:][:len(rows)]
			wp, ws, wd, wz := w.p[o:][:len(rows)], w.s[o:][:len(rows)], w.d[o:][:len(rows)], w.z[o:][:len(rows)]
			h, g, r := it.h[o:][:len(rows)], it.g[o:][:len(rows)], it.r[o:][:len(rows)]
			xd, sz := it.xd[o:][:len(rows)], it.sz[o:][:len(rows)]
			k1, k2 := it.k1[j], it.k2[j]+it.quota.swing(j, w.theta)
			for k, i := range rows {
				v := h[k] * w.y[i]
				k1 -= it.Prob[i] * v
				k2 -= g[k] * v
			}
			a, b, c, det := it.a[j], it.b[j], it.c[j], it.det[j]
			dnu, du := (c*k1+b*k2)/det, (b*k1-a*k2)/det
			w.nu[j], w.u[j] = dnu, du
			u := it.u[j]
			for k, i := range rows {
				dp := h[k] * (w.y[i] + it.Prob[i]*dnu + g[k]*du + r[k])
				ds := du - dp + ((u - p[k]) - s[k])
				wp[k], ws[k] = dp, ds
				wd[k] = (xd[k] - d[k]*dp) * ip[k]
				wz[k] = (sz[k] - z[k]*ds) * is[k]
				row[i] += dp
			}
		}
	})
	for i := range it.res {
		it.res[i] = it.rp[i] - it.part[0][i] - it.part[1][i]
		if it.surplus {
			w.e[i] = (it.ey[i] - it.e[i]*w.y[i]) / it.y[i]
			it.res[i] += w.e[i]
		}
	}
	for _, j := range it.flat {
		rd := it.reduced(j)
		for _, i := range it.Column[j] {
			rd -= w.y[i]
		}
		w.u[j], w.nu[j] = it.yield(j, rd, w.theta)
		for _, i := range it.Column[j] {
			it.res[i] -= w.u[j]
		}
	}
	worst := it.follow()
	for _, v := range it.res {
		worst = math.Max(worst, math.Abs(v))
	}
	return worst
}
