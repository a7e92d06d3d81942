package several

// reach are the longest steps, at most 1/.995, that keep all above 0.
func (b *program) reach() (primal, dual float64) {
	primal, dual = 1/.995, 1/.995
	cut := func(to *float64, v, step float64) {
		if v+*to*step < 0 {
			*to = -v / step
		}
	}
	for _, c := range b.col {
		if c.level {
			cut(&primal, c.u, c.stepu)
			cut(&dual, c.du, c.stepd)
			continue
		}
		for f := range c.row {
			cut(&primal, c.p[f], c.dp[f])
			cut(&primal, c.s[f], c.ds[f])
			cut(&dual, c.d[f], c.dd[f])
			cut(&dual, c.z[f], c.dz[f])
		}
		for f := range c.pair {
			cut(&primal, c.w[f], c.dw[f])
			cut(&dual, c.v[f], c.dv[f])
		}
	}
	if b.surplus {
		for i := range b.e {
			cut(&primal, b.e[i], b.de[i])
			cut(&dual, b.y[i], b.dy[i])
		}
	}
	return primal, dual
}

func (b *program) move(ap, ad float64) {
	add := func(to []float64, by float64, step []float64) {
		for i, v := range step {
			to[i] += by * v
		}
	}
	for _, c := range b.col {
		if c.level {
			c.u, c.du = c.u+ap*c.stepu, c.du+ad*c.stepd
			continue
		}
		add(c.p, ap, c.dp)
		add(c.s, ap, c.ds)
		add(c.r, ap, c.dr)
		add(c.w, ap, c.dw)
		add(c.d, ad, c.dd)
		add(c.z, ad, c.dz)
		add(c.v, ad, c.dv)
	}
	add(b.y, ad, b.dy)
	if b.surplus {
		add(b.e, ap, b.de)
	}
}
