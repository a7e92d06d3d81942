package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Run is the whole job: estimate, design, privatize, check, publish. There is
// a report for each private column.
func Run(ctx context.Context, o options.Options) ([]*report.Report, error) {
	each := o.Each()
	for _, e := range each {
		if err := e.Check(); err != nil {
			return nil, err
		}
		if err := pin(ctx, e); err != nil {
			return nil, err
		}
	}
	return releaseColumns(ctx, &o, "run", each, func(parts []*part) error {
		for _, p := range parts {
			if err := p.decide(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Apply follows plans that were made before: nothing is decided here.
func Apply(ctx context.Context, o options.Options) ([]*report.Report, error) {
	var plans []*plan.Plan
	each := o.Each()
	for _, e := range each {
		if err := e.Check(); err != nil {
			return nil, err
		}
		if e.Plan == "" {
			return nil, fault.New(fault.Usage, "name the plan with --plan", "no plan is given")
		}
		p, err := decide.LoadPlan(e.Plan)
		if err != nil {
			return nil, err
		}
		e.Column, e.Null = p.Column, p.Null
		if err := decide.Follow(e, p); err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return releaseColumns(ctx, &o, "apply", each, func(parts []*part) error {
		for i, p := range parts {
			if err := p.follow(ctx, plans[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
