package several

import (
	"context"
	"math"
)

// A point is where a run of a program ended.
type point struct {
	cost  float64   // in units of the costs as given
	y     []float64 // prices of the rows, in the same units
	cell  [][]float64
	price [][]float64 // v by column of the program and pair, in the same units
	// error is the relative gap and what the equations are missed by.
	error float64
}

// most steps of a run, and the error at which it ends.
const (
	steps  = 150
	enough = 1e-11
)

// solve is a primal-dual interior-point method [Mehrotra 1992] that may start
// outside of both programs. It returns nil where floats fail at once.
func (b *program) solve(ctx context.Context) *point {
	b.start()
	n := len(b.letter)
	b.ry, b.dy, b.de, b.ey = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	sys := newSystem(n)
	var best *point
	since := 0
	for range steps {
		mu := b.products(0, 0) / float64(b.total)
		miss := b.miss()
		if !(mu > 0) || math.IsInf(mu, 0) || math.IsNaN(miss) {
			break
		}
		since++
		if p := b.point(miss); best == nil || p.error < best.error {
			if best == nil || p.error < .9*best.error {
				since = 0
			}
			best = p
		}
		if best.error <= enough || since > 8 || ctx.Err() != nil {
			break
		}
		if !b.factor(sys) {
			break
		}
		b.aim(0, false)
		b.direct(sys)
		ap, ad := b.reach()
		ratio := math.Max(b.products(ap, ad)/float64(b.total), 0) / mu
		target := math.Max(math.Min(1, ratio*ratio*ratio), 1e-9) * mu
		b.aim(target, true)
		b.direct(sys)
		ap, ad = b.reach()
		b.move(math.Min(1, .995*ap), math.Min(1, .995*ad))
	}
	return best
}

// point copies the present one.
func (b *program) point(miss float64) *point {
	out := &point{y: make([]float64, len(b.y)), cell: make([][]float64, len(b.column)),
		price: make([][]float64, len(b.col))}
	primal, dual := 0.0, 0.0
	for i, v := range b.y {
		out.y[i] = v * b.unit
		dual += v
	}
	for j, c := range b.col {
		cell := make([]float64, len(b.column[c.output]))
		at := 0
		for f, i := range c.row {
			for b.column[c.output][at] != i {
				at++
			}
			if cell[at] = c.u; !c.level {
				cell[at] = c.p[f]
			}
			primal += c.cost[f] * cell[at]
		}
		out.cell[c.output] = cell
		for _, v := range c.v {
			out.price[j] = append(out.price[j], v*b.unit)
		}
	}
	out.cost = primal * b.unit
	out.error = math.Abs(primal-dual)/(1+math.Abs(primal)) + miss
	return out
}
