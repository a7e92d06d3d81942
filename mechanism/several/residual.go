package several

import "math"

// miss fills in what the equations are missed by, and returns the largest.
func (b *program) miss() float64 {
	most := 0.0
	note := func(v float64) float64 {
		if math.IsNaN(v) {
			most = v
		}
		most = math.Max(most, math.Abs(v))
		return v
	}
	for i := range b.ry {
		if b.ry[i] = 1; b.surplus {
			b.ry[i] += b.e[i]
		}
	}
	for _, c := range b.col {
		if c.level {
			sum := 0.0
			for f, i := range c.row {
				b.ry[i] -= c.u
				sum += c.cost[f] - b.y[i]
			}
			c.base1 = note(sum - c.du)
			continue
		}
		for g := range c.rg {
			c.rg[g] = 0
		}
		for f, q := range c.pair {
			c.rm[f] = c.r[q.class] + c.w[f]
			c.rg[q.class] -= c.v[f]
		}
		for f, i := range c.row {
			b.ry[i] -= c.p[f]
			g := c.group[f]
			c.rc[f] = note(c.p[f] + c.s[f] - c.r[g])
			c.rg[g] += c.z[f]
			v := b.y[i] + c.d[f] - c.cost[f] - c.z[f]
			for m := range c.pair {
				a := c.a[f][m]
				v += a * c.v[m]
				c.rm[m] -= a * c.p[f]
			}
			c.rd[f] = note(v)
		}
		for _, v := range c.rm {
			note(v)
		}
		for _, v := range c.rg {
			note(v)
		}
	}
	for _, v := range b.ry {
		note(v)
	}
	return most
}

// products is the sum of all complementary products after steps ap and ad.
func (b *program) products(ap, ad float64) float64 {
	sum := 0.0
	for _, c := range b.col {
		if c.level {
			sum += (c.u + ap*c.stepu) * (c.du + ad*c.stepd)
			continue
		}
		for f := range c.row {
			sum += (c.p[f]+ap*c.dp[f])*(c.d[f]+ad*c.dd[f]) + (c.s[f]+ap*c.ds[f])*(c.z[f]+ad*c.dz[f])
		}
		for f := range c.pair {
			sum += (c.w[f] + ap*c.dw[f]) * (c.v[f] + ad*c.dv[f])
		}
	}
	if b.surplus {
		for i := range b.e {
			sum += (b.e[i] + ap*b.de[i]) * (b.y[i] + ad*b.dy[i])
		}
	}
	return sum
}
