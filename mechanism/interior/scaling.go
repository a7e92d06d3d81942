package interior

import "math"

// scale forms the per-cell and per-column scalings of the current point and
// factorises the row system, X and Y being kept in xd and sz, which aim fills
// afterwards. It reports whether a factor was found.
func (it *iterate) scale() bool {
	it.halves(func(_ int, cols []int32, row []float64) {
		for _, j := range cols {
			rows := it.Column[j]
			o := it.off[j]
			p, s, d, z := it.p[o:][:len(rows)], it.s[o:][:len(rows)], it.d[o:][:len(rows)], it.z[o:][:len(rows)]
			ip, is := it.ip[o:][:len(rows)], it.is[o:][:len(rows)]
			h, g, x, y := it.h[o:][:len(rows)], it.g[o:][:len(rows)], it.xd[o:][:len(rows)], it.sz[o:][:len(rows)]
			var a, b, c float64
			for k, i := range rows {
				ip[k], is[k] = 1/p[k], 1/s[k]
				gg, dp, w := z[k]*is[k], d[k]*ip[k], it.Prob[i]
				hh := 1 / (dp + gg)
				g[k], h[k] = gg, hh
				row[i] += hh
				a += w * w * hh
				b += w * gg * hh
				c += gg * hh * dp
			}
			b -= 1 / it.t
			c += it.quota.stiff(j)
			det := a*c + b*b
			it.a[j], it.b[j], it.c[j], it.det[j] = a, b, c, det
			root, lift, ratio := 1/math.Sqrt(a), math.Sqrt(a/det), b/a
			for k, i := range rows {
				w := it.Prob[i]
				x[k] = w * h[k] * root
				y[k] = lift * h[k] * (g[k] - ratio*w)
			}
		}
	})
	for _, j := range it.flat {
		it.quota.stiff(j)
		v := math.Sqrt(it.give(j))
		for k, end := it.off[j], it.off[j+1]; k < end; k++ {
			it.xd[k], it.sz[k] = 0, v
		}
	}
	it.sys.sum(it.Column, it.off, it.xd, it.sz, it.live, it.flat)
	diag := it.res
	for i := range diag {
		diag[i] = it.part[0][i] + it.part[1][i]
		if it.surplus {
			diag[i] += it.e[i] / it.y[i]
		}
	}
	return it.sys.factor(diag) && it.bind()
}
