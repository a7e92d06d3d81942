package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"sort"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// leastGrid is by how many parts of a nat the least epsilon is rounded up: an exact
// one encodes counts, and what is asked for may be published.
const leastGrid = 1000

// leastEpsilon is the decision at the least epsilon of any mechanism at its floor,
// within its limit of the shift, rounded up to thousandths of a nat. It fails where
// that is above the most that it may be. Without letters there is no least.
func leastEpsilon(ctx context.Context, asked *request.Decision, d *count.Domain) (*request.Decision, error) {
	if d.Letters.Len() == 0 {
		at := asked.At(mechanism.Epsilon{})
		if asked.AtMost != nil {
			at = asked.At(*asked.AtMost)
		}
		at.AtMost = nil
		return at, nil
	}
	order, err := Order(ctx, asked.Order, d)
	if err != nil {
		return nil, err
	}
	if err := floorOf(asked.Goal.Floor, order); err != nil {
		return nil, err
	}
	asked = Usual(asked, d, order)
	floor := *asked.Goal.Floor
	named := utility.NameFloor(order.Form, order.Lowest, floor)
	if asked.Strata.Column != "" || asked.Prior.File+asked.Prior.Smooth+asked.Rare.Other != "" ||
		asked.Headroom.Share.Sign() > 0 {
		at, err := leastFound(ctx, asked, d)
		if err != nil {
			return nil, err
		}
		return at, tooMuch(asked, at.Goal.Epsilon, named)
	}
	if err := FitsMemory(order, false, false); err != nil {
		return nil, err
	}
	solve, cancel := Solving(ctx, asked.SolveTime)
	defer cancel()
	var least *big.Rat
	err = Interruptible(ctx, func() (err error) {
		g := optimum.Problem{Prior: d.Prior, Support: mechanism.SupportOf(order.Order, floor),
			Stands: plan.Stands(d.Letters, order.Outputs)}
		_, least, err = optimum.LeastFactor(solve, g, asked.Goal.MaxShift, optimum.Options{})
		return err
	})
	var off *optimum.LimitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &off):
		return nil, fault.New(fault.Privacy, "give a larger --max-shift, or a lower floor",
			"no mechanism was found at %v that keeps --max-shift %s at any epsilon", floor, asked.MaxShift)
	case err != nil && solve.Err() != nil:
		return nil, fault.New(fault.Environment, "give more time with --solve-time",
			"no epsilon was found within %v (--solve-time)", asked.SolveTime)
	case err != nil:
		return nil, Explain(err, d, order, asked.Goal)
	}
	for n := int(math.Ceil(mechanism.Nats(least) * leastGrid)); ; n++ {
		if n == 0 { // noise does there: the least that tells something is found
			at, err := leastFound(ctx, asked, d)
			if err != nil {
				return nil, err
			}
			return at, tooMuch(asked, at.Goal.Epsilon, named)
		}
		e, err := onGrid(n)
		if err == nil && !e.Admits(least) {
			continue // floats rounded it down
		}
		if err != nil {
			return nil, err
		}
		return asked.At(e), tooMuch(asked, e, named)
	}
}

// onGrid is n steps of the grid.
func onGrid(n int) (mechanism.Epsilon, error) {
	return mechanism.ParseEpsilon(fmt.Sprintf("%d.%03d", n/leastGrid, n%leastGrid))
}

// leastFound is the least epsilon on the grid at which a design was found, by bisection,
// where no program of the least factor holds all that is asked for. A design may be found
// below one that was not; what is returned has one.
func leastFound(ctx context.Context, asked *request.Decision, d *count.Domain) (*request.Decision, error) {
	const mostNats = 32 // above the factor of any counts that fit a file
	found := func(n int) (*request.Decision, error) {
		e, err := onGrid(n)
		if err != nil {
			return nil, err
		}
		at := asked.At(e)
		_, err = Plan(ctx, at, d)
		return at, err
	}
	no := func(err error) bool {
		var f *fault.Fault
		return errors.As(err, &f) && f.Class == fault.Privacy
	}
	low, high := -1, leastGrid // nothing was found at low
	if asked.AtMost != nil {
		high = lastWithin(*asked.AtMost, mostNats*leastGrid)
	}
	best, err := found(high)
	// Above the most that it may be, too, to say what the least is.
	for ; no(err) && high < mostNats*leastGrid; best, err = found(high) {
		low, high = high, max(1, 2*high)
	}
	if err != nil {
		return nil, err
	}
	for high-low > 1 {
		middle := (low + high) / 2
		switch at, err := found(middle); {
		case err == nil:
			best, high = at, middle
		case no(err):
			low = middle
		default:
			return nil, err
		}
	}
	return best, nil
}

// lastWithin is the last step of the grid within an epsilon, or the last of all.
func lastWithin(most mechanism.Epsilon, last int) int {
	return sort.Search(last, func(n int) bool {
		e, err := onGrid(n + 1)
		return err != nil || !e.Within(most)
	})
}

// tooMuch refuses a least epsilon that is above the most that it may be.
func tooMuch(asked *request.Decision, e mechanism.Epsilon, floor string) error {
	if asked.AtMost == nil || e.Within(*asked.AtMost) {
		return nil
	}
	help := "give --at-most " + e.String() + " or a lower floor"
	if asked.MaxShift != "" {
		help += ", or a larger --max-shift"
	}
	return fault.New(fault.Privacy, help, "the least epsilon found at %s is %s, above --at-most %s", floor, e,
		asked.AtMost)
}
