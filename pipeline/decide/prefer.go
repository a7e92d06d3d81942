package decide

import (
	"context"
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
	return mechanism.MatchWeights(places(in, out))
}

// places are the outputs that are called like the inputs, -1 where none is; of outputs
// and inputs, the other way round, the letters that the outputs stand for.
func places(in, out utility.Letters) []int {
	at := make(map[string]int, len(out.Label))
	for y, label := range out.Label {
		at[label] = y
	}
	same := make([]int, in.Len())
	for x := range same {
		y, ok := len(out.Label), out.Null
		if x < len(in.Label) {
			y, ok = at[in.Label[x]]
		}
		if same[x] = y; !ok {
			same[x] = -1
		}
	}
	return same
}

// prefer keeps what the second stage reached.
func prefer(p *plan.Plan, large string, e *design.Evidence) {
	p.Gap = e.UtilityGap
	if large != request.Unchanged {
		return
	}
	p.Prefer, p.Share, p.ShareBound = request.Unchanged, e.Weighted, 1
	if e.Worth != nil {
		bound, _ := e.Worth.Upper.Float64()
		p.ShareBound = min(1, bound*(1+1e-15))
	}
	p.ShareBound = max(p.ShareBound, p.Share)
}

// Solving bounds the time of a search; 0 sets no bound.
func Solving(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if most > 0 {
		return context.WithTimeout(ctx, most)
	}
	return ctx, func() {}
}
