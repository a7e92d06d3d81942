package design

import (
	"context"
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// flatCells is the most N M for which "auto" tries a flat mechanism.
const flatCells = 1 << 20

var flatDesign = floorwise{
	name:  "flat",
	said:  "every output is equally likely for all values that may give it",
	cells: flatCells,
	within: func(ctx context.Context, t *task, s *mechanism.Support) (*mechanism.Mechanism, error) {
		f, err := optimum.NewFlatSearch(t.prior, s, t.goal.Also...)
		if err != nil {
			return nil, err
		}
		return f.Within(ctx, t.goal.Epsilon, t.gains(s))
	},
	smallest: func(ctx context.Context, t *task, s *mechanism.Support) (*mechanism.Mechanism, error) {
		f, err := optimum.NewFlatSearch(t.prior, s, t.goal.Also...)
		if err != nil {
			return nil, err
		}
		return f.Least(ctx)
	},
}

// gains is sum_{x in S_y} c_x (w_xy - the best of B_x): what a unit of q_y
// adds to the expected utility of a flat mechanism, times n and up to a
// constant. It is at most 0.
func (t *task) gains(s *mechanism.Support) []float64 {
	weights := t.weights()
	gain, value := make([]float64, s.Outputs()), make([]float64, s.Outputs())
	for x := range s.Inputs() {
		c := t.prior.Count(x)
		if c == 0 {
			continue
		}
		weights(x, value)
		best := math.Inf(-1)
		for y, v := range value {
			if s.Allowed(x, y) {
				best = max(best, v)
			}
		}
		for y, v := range value {
			if s.Allowed(x, y) {
				gain[y] += float64(c) * (v - best)
			}
		}
	}
	return gain
}
