package several

// aim sets the products that a step is to reach.
func (b *program) aim(mu float64, corrected bool) {
	for _, c := range b.col {
		if c.level {
			if c.ux = mu - c.u*c.du; corrected {
				c.ux -= c.stepu * c.stepd
			}
			continue
		}
		for f := range c.row {
			c.xd[f], c.sz[f] = mu-c.p[f]*c.d[f], mu-c.s[f]*c.z[f]
			if corrected {
				c.xd[f] -= c.dp[f] * c.dd[f]
				c.sz[f] -= c.ds[f] * c.dz[f]
			}
		}
		for f := range c.pair {
			if c.wv[f] = mu - c.w[f]*c.v[f]; corrected {
				c.wv[f] -= c.dw[f] * c.dv[f]
			}
		}
	}
	for i := range b.ey {
		if b.ey[i] = mu - b.e[i]*b.y[i]; corrected {
			b.ey[i] -= b.de[i] * b.dy[i]
		}
	}
}

// direct solves the Newton equations for the products aimed at, and corrects
// what rounding leaves of the row equations.
func (b *program) direct(s *system) {
	rhs := s.right
	for i, v := range b.ry {
		if b.surplus {
			v += b.ey[i] / b.y[i]
		}
		rhs[i] = v
	}
	for _, c := range b.col {
		if c.level {
			for _, i := range c.row {
				rhs[i] -= (c.ux - c.u*c.base1) / c.du
			}
			continue
		}
		pairs := len(c.pair)
		for m := range c.pair {
			c.base[m] = c.rm[m] + c.wv[m]/c.v[m]
		}
		for g, v := range c.rg {
			c.base[pairs+g] = -v
		}
		for f := range c.row {
			lost := c.g[f]*c.rc[f] + c.sz[f]/c.s[f]
			c.base[pairs+int(c.group[f])] -= lost
			c.dp[f] = c.rd[f] + c.xd[f]/c.p[f] - lost // R, for a while
			for l, v := range c.a[f] {
				c.base[l] -= c.h[f] * c.dp[f] * v
			}
		}
		theta := append(c.theta[:0], c.base...)
		c.k.solve(theta)
		for f, i := range c.row {
			v := c.dp[f]
			for l, a := range c.a[f] {
				v += a * theta[l]
			}
			rhs[i] -= c.h[f] * v
		}
		c.rest = append(c.rest[:0], c.dp...)
	}
	clear(b.dy)
	for range 3 {
		s.solve(rhs)
		for i, v := range rhs {
			b.dy[i] += v
		}
		b.back(rhs)
	}
}

// back fills in what follows from dy, and what the row equations lack then.
func (b *program) back(lack []float64) {
	for i, v := range b.ry {
		if b.surplus {
			b.de[i] = (b.ey[i] - b.e[i]*b.dy[i]) / b.y[i]
			v += b.de[i]
		}
		lack[i] = v
	}
	for _, c := range b.col {
		if c.level {
			sum := 0.0
			for _, i := range c.row {
				sum += b.dy[i]
			}
			c.stepd = c.base1 - sum
			c.stepu = (c.ux - c.u*c.stepd) / c.du
			for _, i := range c.row {
				lack[i] -= c.stepu
			}
			continue
		}
		pairs := len(c.pair)
		theta := append(c.theta[:0], c.base...)
		for f, i := range c.row {
			for l, a := range c.a[f] {
				theta[l] -= c.h[f] * b.dy[i] * a
			}
		}
		c.k.solve(theta)
		copy(c.dv, theta)
		copy(c.dr, theta[pairs:])
		for f, i := range c.row {
			v := b.dy[i] + c.rest[f]
			for l, a := range c.a[f] {
				v += a * theta[l]
			}
			c.dp[f] = c.h[f] * v
			c.ds[f] = c.dr[c.group[f]] - c.dp[f] - c.rc[f]
			c.dz[f] = (c.sz[f] - c.z[f]*c.ds[f]) / c.s[f]
			c.dd[f] = (c.xd[f] - c.d[f]*c.dp[f]) / c.p[f]
			lack[i] -= c.dp[f]
		}
		for m := range c.pair {
			c.dw[m] = (c.wv[m] - c.w[m]*c.dv[m]) / c.v[m]
		}
	}
}
