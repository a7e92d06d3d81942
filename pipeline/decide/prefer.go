package decide

import (
	"context"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Weights are what the second stage of the design makes large; nil for the
// utility.
func Weights(o *options.Options, in, out utility.Letters) mechanism.Weights {
	if o.Prefer != options.Unchanged {
		return nil
	}
	return mechanism.MatchWeights(places(in, out))
}

// places are the outputs that are called like the inputs, -1 where none is.
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
func prefer(p *plan.Plan, o *options.Options, e *design.Evidence) {
	p.Gap = e.UtilityGap
	if o.Prefer != options.Unchanged {
		return
	}
	p.Prefer, p.Share, p.ShareBound = options.Unchanged, e.Weighted, 1
	if e.Worth != nil {
		bound, _ := e.Worth.Upper.Float64()
		p.ShareBound = min(1, bound*(1+1e-15))
	}
	p.ShareBound = max(p.ShareBound, p.Share)
}

// Solving bounds the time of a search.
func Solving(ctx context.Context, o *options.Options) (context.Context, context.CancelFunc) {
	if o.SolveTime > 0 {
		return context.WithTimeout(ctx, o.SolveTime)
	}
	return ctx, func() {}
}
