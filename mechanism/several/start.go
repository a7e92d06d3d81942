package several

import "math"

// start has equal cells within their caps, and all products equal.
func (b *program) start() {
	cells := 0
	for _, c := range b.col {
		cells += len(c.row)
	}
	n := len(b.letter)
	p0 := float64(n) / float64(cells)
	b.y, b.e = make([]float64, n), make([]float64, n)
	for i := range b.e {
		if b.e[i] = 1; b.surplus {
			b.y[i] = p0
			b.total++
		}
	}
	for _, c := range b.col {
		m := len(c.row)
		if c.level {
			c.u, c.du = p0, float64(m)
			b.total++
			continue
		}
		mass := make([]float64, len(b.prior))
		for _, i := range c.row {
			for k := range mass {
				mass[k] += b.chance[k][i]
			}
		}
		room := 1.0
		for _, q := range c.pair {
			room = math.Min(room, (b.t*mass[q.prior]-1)/2)
		}
		room = math.Max(room, 1e-9)
		c.p, c.s, c.d, c.z = fill(m, p0), fill(m, room*p0), fill(m, 1), fill(m, 1/room)
		c.r = fill(c.number, p0*(1+room))
		c.w, c.v = make([]float64, len(c.pair)), make([]float64, len(c.pair))
		for f, q := range c.pair {
			c.w[f] = math.Max(b.t*mass[q.prior]*p0-c.r[q.class], room*p0)
			c.v[f] = p0 / c.w[f]
		}
		c.g, c.h, c.rc, c.rd = fill(m, 0), fill(m, 0), fill(m, 0), fill(m, 0)
		c.dp, c.ds, c.dd, c.dz = fill(m, 0), fill(m, 0), fill(m, 0), fill(m, 0)
		c.xd, c.sz = fill(m, 0), fill(m, 0)
		c.rm, c.dw, c.dv, c.wv = fill(len(c.pair), 0), fill(len(c.pair), 0), fill(len(c.pair), 0), fill(len(c.pair), 0)
		c.rg, c.dr = fill(c.number, 0), fill(c.number, 0)
		c.base, c.theta = fill(len(c.pair)+c.number, 0), fill(len(c.pair)+c.number, 0)
		c.k = newLDL(len(c.pair) + c.number)
		c.x, c.scaled = make([][]float64, len(c.pair)+c.number), fill(len(c.pair)+c.number, 0)
		for l := range c.x {
			c.x[l] = fill(m, 0)
		}
		c.a = make([][]float64, m)
		for f := range c.a {
			c.a[f] = make([]float64, len(c.pair)+c.number)
			for g, q := range c.pair {
				c.a[f][g] = b.t * b.chance[q.prior][c.row[f]]
			}
		}
		b.total += 2*m + len(c.pair)
	}
}

func fill(n int, v float64) []float64 {
	to := make([]float64, n)
	for i := range to {
		to[i] = v
	}
	return to
}
