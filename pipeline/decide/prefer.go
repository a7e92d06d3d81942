package decide

import (
	"cmp"
	"context"
	"math/big"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Weights are what the second stage of the design makes large; nil for the
// utility.
func Weights(large string, in, out utility.Letters) mechanism.Weights {
	if large != request.Unchanged {
		return nil
	}
	return mechanism.MatchWeights(plan.Stands(out, in))
}

// prefer keeps what the second stage reached.
func prefer(p *plan.Plan, large string, e *design.Evidence) {
	if p.Gap = e.UtilityGap; large == request.Shares {
		p.Prefer = large
	}
	if large != request.Unchanged {
		return
	}
	p.Prefer, p.Share, p.ShareBound = request.Unchanged, e.Weighted, 1
	upper := (*big.Rat)(nil)
	if e.Worth != nil {
		upper = e.Worth.Upper
	}
	if s := e.Shares; s != nil && s.Worth != nil {
		upper = s.Worth.Upper
	}
	if upper != nil {
		bound, _ := upper.Float64()
		p.ShareBound = min(1, bound*(1+1e-15))
	}
	p.ShareBound = max(p.ShareBound, p.Share)
}

// byFloor compares two designs by the floor that they reach, where it is to be the best:
// above 0 where the first is the better one.
func byFloor(g *design.Goal, rank, rank2 int, value, value2 float64) int {
	switch {
	case g.Floor != nil:
		return 0
	case g.ByValue:
		return cmp.Compare(value, value2)
	}
	return cmp.Compare(rank, rank2)
}

// Solving bounds the time of a search; 0 sets no bound.
func Solving(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if most > 0 {
		return context.WithTimeout(ctx, most)
	}
	return ctx, func() {}
}
