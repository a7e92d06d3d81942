package floors

import (
	"context"
	"errors"
	"math/big"
	"sync"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/mechanism/shares"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// most floors are looked at within a limit of the shift, spread evenly: each costs
// several searches.
const shiftFloors = 32

// Within is what a floor costs where shares of published values are limited, too.
type Within struct {
	Lower string  `json:"lower_factor"` // the least factor of any mechanism within the limit is between these
	Upper string  `json:"upper_factor"`
	From  float64 `json:"lower_nats"` // rounded down
	To    float64 `json:"upper_nats"` // rounded up
	Shift string  `json:"shift"`      // of the mechanism found, "p/q"
}

// within finds the least factor of some floors at which shares keep the limit, the
// coarse shape first; what ctx leaves no time for stays open.
func (v *survey) within(ctx context.Context) error {
	limit, err := v.o.ParseMaxShift()
	if err != nil || limit == nil {
		return err
	}
	v.f.MaxShift = v.o.Limit()
	n := len(v.f.Points)
	if v.f.Large || n == 0 {
		return nil
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	at := spread(all, shiftFloors)
	err = v.each(ctx, len(at), func(i int) error {
		w, err := v.leastWithin(ctx, at[i], limit)
		v.f.Points[at[i]].Within = w
		return err
	})
	v.f.Stopped = v.f.Stopped || ctx.Err() != nil
	return err
}

// leastWithin is the least epsilon of a point within a limit of the shift, nil where
// none was found.
func (v *survey) leastWithin(ctx context.Context, at int, limit *big.Rat) (*Within, error) {
	if v.byGroup() {
		return v.partedWithin(at, limit), nil
	}
	g := shares.Problem{Prior: v.d.Prior, Stands: plan.Stands(v.d.Letters, v.order.Outputs),
		Support: mechanism.SupportOf(v.order.Order, v.curves.Points[at].Floor)}
	_, b, err := shares.LeastFactor(ctx, g, shares.Goal{Limit: limit},
		shares.Options{Bytes: count.Memory() / 2 / int64(v.o.Pace().Workers())})
	var none *shares.LimitError
	switch {
	case err == nil:
		return &Within{Lower: b.Lower.RatString(), Upper: b.Upper.RatString(),
			From: 0 - mechanism.Nats(new(big.Rat).Inv(b.Lower)), To: mechanism.Nats(b.Upper),
			Shift: b.Shift.RatString()}, nil
	case errors.As(err, &none) || ctx.Err() != nil:
		return nil, nil
	}
	return nil, err
}

// byGroup reports whether floors are looked at by groups, as levels of many values are.
func (v *survey) byGroup() bool {
	_, levels := v.order.Order.(*mechanism.Tree)
	return levels && v.o.ByValue() && !optimum.Fits(v.order.Order.Inputs(), v.order.Order.Outputs())
}

// partedWithin needs no search: parts keep every share at the least factor, but for
// values that are no output. Where these are too many nothing is known.
func (v *survey) partedWithin(at int, limit *big.Rat) *Within {
	q := &v.curves.Points[at]
	c := &q.Optimal
	if c.Shift == nil || c.Shift.Cmp(limit) > 0 {
		return nil
	}
	return &Within{Lower: q.Lower.RatString(), Upper: c.Factor.RatString(),
		From: 0 - mechanism.Nats(new(big.Rat).Inv(q.Lower)), To: mechanism.Nats(c.Factor), Shift: c.Shift.RatString()}
}

// each calls work with 0..n-1 on several workers, the coarse shape first, until one
// fails or ctx ends.
func (v *survey) each(ctx context.Context, n int, work func(i int) error) error {
	var mu sync.Mutex
	var failed error
	left := coarseFirst(n)
	var wait sync.WaitGroup
	for range v.o.Pace().Workers() {
		wait.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				if len(left) == 0 || failed != nil {
					mu.Unlock()
					return
				}
				i := left[0]
				left = left[1:]
				v.o.Pace().Tell("searching", int64(n-len(left)-1), int64(n))
				mu.Unlock()
				if err := work(i); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return failed
}

// coarseFirst are 0..n-1, the ends and middles first.
func coarseFirst(n int) (order []int) {
	seen := make([]bool, n)
	add := func(i int) {
		if i < n && !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	add(0)
	add(n - 1)
	for step := n; step > 0; step /= 2 {
		for i := 0; i < n; i += step {
			add(i)
		}
	}
	return order
}
