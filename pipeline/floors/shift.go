package floors

import (
	"context"
	"errors"
	"math/big"
	"sync"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/shares"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
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

// countable refuses what is not searched.
func countable(o *request.Options) error {
	if o.Prefer == request.Shares {
		return fault.New(fault.Usage, "give --max-shift, the most that shares may be off, to see what that costs at each floor",
			"--prefer shares is no choice of frontier: the least shift depends on epsilon")
	}
	return nil
}

// within finds the least factor of some floors at which shares keep the limit, the
// coarse shape first; what ctx leaves no time for stays open.
func (v *survey) within(ctx context.Context) error {
	limit, err := v.o.ParseMaxShift()
	if err != nil || limit == nil {
		return err
	}
	v.f.MaxShift = v.o.MaxShift
	n := len(v.f.Points)
	if v.f.Large || n == 0 {
		return nil
	}
	at := make([]int, 0, shiftFloors)
	for k := range min(n, shiftFloors) {
		at = append(at, k*(n-1)/max(1, min(n, shiftFloors)-1))
	}
	stands := plan.Stands(v.d.Letters, v.order.Outputs)
	var mu sync.Mutex
	var failed error
	left := coarseFirst(len(at))
	var wait sync.WaitGroup
	workers := v.o.Pace().Workers()
	for range workers {
		wait.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				if len(left) == 0 || failed != nil {
					mu.Unlock()
					return
				}
				i := at[left[0]]
				left = left[1:]
				mu.Unlock()
				g := shares.Problem{Prior: v.d.Prior, Stands: stands,
					Support: mechanism.SupportOf(v.order.Order, v.curves.Points[i].Floor)}
				_, b, err := shares.LeastFactor(ctx, g, shares.Goal{Limit: limit},
					shares.Options{Bytes: count.Memory() / 2 / int64(workers)})
				var none *shares.LimitError
				mu.Lock()
				switch {
				case err == nil:
					v.f.Points[i].Within = &Within{Lower: b.Lower.RatString(), Upper: b.Upper.RatString(),
						From: 0 - mechanism.Nats(new(big.Rat).Inv(b.Lower)), To: mechanism.Nats(b.Upper),
						Shift: b.Shift.RatString()}
				case !errors.As(err, &none) && ctx.Err() == nil:
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	v.f.Stopped = v.f.Stopped || ctx.Err() != nil
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
