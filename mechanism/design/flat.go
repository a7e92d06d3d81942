package design

import (
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// flatCells is the most N M for which "auto" tries a flat mechanism.
const flatCells = 1 << 20

// flatDesign is the pruned flat mechanism, searched floor by floor.
type flatDesign struct{}

func (flatDesign) kind() string { return "flat" }
func (flatDesign) words() string {
	return "every output is equally likely for all values that may give it"
}
func (flatDesign) settles() bool     { return false }
func (flatDesign) fits(t *task) bool { return t.cells() <= flatCells }

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

// make tries the floors from the best that LowerBound leaves possible. That
// bound only falls along the floors, so its first place is bisected; the
// designs themselves need not be monotone. All rank floors are tried one by
// one, and the first few value floors, of which there are too many; then the
// steps double until one fits, and the last gap is bisected.
func (d flatDesign) make(ctx context.Context, t *task, rival *offer) (*offer, error) {
	if t.goal.Floor != nil {
		return d.at(ctx, t, *t.goal.Floor)
	}
	end := t.Len()
	if rival != nil {
		end = t.Place(rival.floor) + 1
	}
	lo, hi := 0, end
	for lo < hi {
		mid := (lo + hi) / 2
		b, err := optimum.LowerBound(t.prior, t.Support(t.At(mid)), t.goal.Also...)
		if err != nil {
			return nil, err
		}
		if t.goal.Epsilon.Admits(b) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	linear := end
	if t.ByValue() {
		linear = 16
	}
	failed := lo - 1
	for i, jump := lo, 1; i < end; {
		c, err := d.at(ctx, t, t.At(i))
		if err == nil {
			return d.between(ctx, t, failed, i, c)
		}
		if !errors.Is(err, errNothingFits) {
			return nil, err
		}
		failed = i
		if i-lo >= linear {
			jump *= 2
		}
		if i == end-1 {
			break
		}
		i = min(i+jump, end-1)
	}
	return nil, errNothingFits
}

func (d flatDesign) between(ctx context.Context, t *task, failed, fits int, c *offer) (*offer, error) {
	for fits-failed > 1 {
		mid := (failed + fits) / 2
		m, err := d.at(ctx, t, t.At(mid))
		switch {
		case err == nil:
			fits, c = mid, m
		case errors.Is(err, errNothingFits):
			failed = mid
		default:
			return c, nil // out of time: what fits stands
		}
	}
	return c, nil
}

func (d flatDesign) at(ctx context.Context, t *task, f mechanism.Floor) (*offer, error) {
	s := t.Support(f)
	search, err := optimum.NewFlatSearch(t.prior, s, t.goal.Also...)
	if err != nil {
		return nil, err
	}
	m, err := search.Within(ctx, t.goal.Epsilon, t.gains(s))
	if errors.Is(err, optimum.ErrNoFlat) {
		return nil, errNothingFits
	}
	if err != nil {
		return nil, err
	}
	c := t.offer(m, f)
	if !t.goal.Epsilon.Admits(c.factor) || !t.keeps(m) {
		return nil, errNothingFits
	}
	return c, nil
}

func (d flatDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	search, err := optimum.NewFlatSearch(t.prior, t.Support(f), t.goal.Also...)
	if err != nil {
		return nil, err
	}
	m, err := search.Least(ctx)
	if errors.Is(err, optimum.ErrNoFlat) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return t.offer(m, f).factor, nil
}
