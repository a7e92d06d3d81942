// Package decide makes the plan: order, floor and mechanism within epsilon, for
// all records or stratum by stratum. It also decides what is claimed of the
// population. The package draws nothing.
package decide

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Plan makes the plan: all that a run decides of letters whose groups are known. Its steps are
// the goal (goal.go), the candidates (candidates.go), the mechanisms of their groups
// (mechanism.go), what is proven of the best (proof.go) and the record of it (record.go).
// Files are read for the order alone; count.Lacking tells of letters that it lacks.
func Plan(ctx context.Context, asked *request.Decision, d *count.Domain) (*plan.Plan, error) {
	p := &plan.Plan{Of: d.Of, Sample: d.Sample, Smooth: asked.Prior.Smooth,
		PriorOnly: asked.Prior.Only && d.Of != "", Column: asked.Column, Null: asked.Null, Inputs: d.Letters, Bins: d.Bins,
		Prior: d.Prior, Target: asked.Goal.Epsilon.String(), Epsilon: asked.Goal.Epsilon,
		Design: plan.Design{Kind: "none"}, KeptFloor: plan.KeptFloor{Asked: "best"},
		Bracket: plan.Bracket{Lower: big.NewRat(1, 1), Upper: big.NewRat(1, 1)}, OrderCSV: []byte{}}
	if d.Rare.Other != "" {
		p.Other = &plan.Other{Label: d.Rare.Other, MinCount: d.Rare.MinCount}
	}
	if d.Letters.Len() == 0 {
		p.DesignHash = p.HashDesign()
		return p, nil
	}
	w, err := goalOf(ctx, asked, p, d)
	if err != nil {
		return nil, err
	}
	best, err := w.search(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := Interruptible(ctx, func() error { return w.record(p, best) }); err != nil {
		return nil, err
	}
	if err := w.refuseNothing(p); err != nil {
		return nil, err
	}
	return p, nil
}
