package interior

import (
	"context"
	"math"
)

// ScaledBest is Best for supports of many letters and few cells: among what is within t
// it looks for a large sum of P_i p_ij w_ij, as the mechanism nearest to e^{w_ij/T} for
// smaller and smaller T. Less says how much less than the best of its row a cell is
// worth, by columns; it is not negative. T of the proposal is the factor of P, which is
// nil where nothing within t was found. Y are the prices of the rows, per unit of P_i.
func ScaledBest(ctx context.Context, pr Problem, t float64, less [][]float32, opt Options) (out Proposal) {
	if opt.Steps == 0 {
		opt.Steps = 400
	}
	if opt.Gap == 0 {
		opt.Gap = 1e-3
	}
	c := newClimb(newScaled(pr))
	c.t = t * (1 - opt.Gap)
	scale := 0.0
	for _, cells := range less {
		for _, v := range cells {
			scale = max(scale, float64(v))
		}
	}
	c.gain = make([][]float32, len(less))
	for j := range less {
		c.gain[j] = make([]float32, len(less[j]))
	}
	best := math.Inf(1)
	for heat := scale / 4; out.Steps < opt.Steps && ctx.Err() == nil; heat /= 2 {
		for j, cells := range less {
			for k, v := range cells {
				c.gain[j][k] = float32(max(-float64(v)/max(heat, 1e-300), lowest/2))
			}
		}
		c.begin()
		reached := math.Inf(1)
		for range mostRounds {
			for range roundSteps {
				if ctx.Err() != nil || !c.advance() {
					break
				}
			}
			c.balance()
			c.balance()
			out.Steps += roundSteps
			if reached = c.reached(); !(reached > t) || ctx.Err() != nil || out.Steps >= opt.Steps {
				break
			}
		}
		if !(reached <= t) {
			break
		}
		loss := c.loss(less)
		if !(loss < best) {
			break
		}
		slow := best-loss < opt.Gap*scale
		best = loss
		out.T, out.P = reached, c.table()
		out.Y = append(out.Y[:0], c.a...)
		for i := range out.Y {
			out.Y[i] *= -heat
		}
		if out.Closed = slow || heat == 0; out.Closed {
			break
		}
		for i, v := range c.a { // prices are about the same
			c.a[i] = max(2*v, lowest)
		}
	}
	return out
}

// loss is sum P_i p_ij less_ij of the normalised rows.
func (c *climb) loss(less [][]float32) float64 {
	sum := 0.0
	for j, rows := range c.Column {
		if c.up[j] == 0 {
			continue
		}
		for k, i := range rows {
			sum += c.Prob[i] * c.cell(j, k) / c.sum[i] * float64(less[j][k])
		}
	}
	return sum
}
