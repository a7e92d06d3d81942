package optimum

import (
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// What is within a factor under several priors at once, p_xy <= t min_k q^k_y, is within
// it under their mixture, and so the optimum under the mixture, at stricter factors until
// all priors admit it, is near the best; how near is not proven.

// strictSteps are the solves at stricter factors.
const strictSteps = 8

// mixture is about the even mixture of all priors, in which every letter counts that has
// records under any.
func (t *Pattern) mixture() mechanism.Prior {
	all := t.priors()
	count := make([]int64, t.Prior.Letters())
	for x := range count {
		share := 0.0
		for _, q := range all {
			if c := q.Count(x); c > 0 {
				share += float64(c) / float64(q.Total())
			}
		}
		if share > 0 {
			count[x] = max(1, int64(share/float64(len(all))*0x1p40))
		}
	}
	mean, err := mechanism.NewPrior(count)
	if err != nil {
		return t.Prior
	}
	return mean
}

// strict bisects the factor of the optimum under the mixture of the priors, from the first
// that would do if the excess stayed as it is, and offers what it finds.
func (s *search) strict(ctx context.Context, opt Options) error {
	mean := s.mixture()
	weights := func(x int, row []float64) { // make what is expected under the mixture what is expected under the prior
		c := s.Prior.Count(x)
		if c == 0 {
			clear(row)
			return
		}
		s.weights(x, row)
		by := float64(c) / float64(s.Prior.Total()) / float64(mean.Count(x)) * float64(mean.Total())
		for y := range row {
			row[y] *= by
		}
	}
	low, high := 0.0, math.Log(rounded(s.t))
	for at, step := high, 0; step < strictSteps && high-low > 1e-3 && ctx.Err() == nil; step++ {
		f := new(big.Rat).SetFloat64(math.Exp(at))
		if f == nil || f.Cmp(s.t) > 0 {
			f = s.t
		}
		if f.Cmp(one) < 0 {
			f = one
		}
		m, _, err := Largest(ctx, Problem{Prior: mean, Support: s.Support}, f, nil, weights, Options{Bytes: opt.Bytes})
		var none *FactorError
		if err != nil && !errors.As(err, &none) {
			return err
		}
		over := (*big.Rat)(nil) // the factor, where it is too large
		if err == nil && !s.offer(m) {
			over = s.FactorOf(m)
		}
		if over == nil { // within it, or nothing is
			low = at
		} else {
			high = at
		}
		if at = (low + high) / 2; step == 0 && over != nil {
			at = max(low, 2*math.Log(rounded(s.t))-math.Log(rounded(over)))
		}
	}
	return nil
}
