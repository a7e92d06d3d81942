package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Run is the whole job: estimate, design, privatize, check, publish. There is
// a report for each private column.
func Run(ctx context.Context, o request.Options) ([]*report.Report, error) {
	if err := check(&o, "run"); err != nil {
		return nil, err
	}
	var columns []column
	for _, e := range o.Each() {
		c, err := pin(ctx, e)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return released(ctx, &o, "run", columns)
}

// Apply follows plans that were made before: nothing is decided here.
func Apply(ctx context.Context, o request.Options) ([]*report.Report, error) {
	if err := check(&o, "apply"); err != nil {
		return nil, err
	}
	var columns []column
	for _, e := range o.Each() {
		p, err := decide.LoadPlan(e.Plan)
		if err != nil {
			return nil, err
		}
		c, err := column{e, p, ""}.settled()
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return released(ctx, &o, "apply", columns)
}

// check refuses what cannot be followed, for one of the columns, and tells at once of
// an output that may not be written. Where nothing else is wrong, that is checked as
// the output is opened, with all other files.
func check(o *request.Options, command string) error {
	for _, e := range o.Each() {
		if err := e.Check(command); err != nil {
			faults := fault.And(nil, err)
			if o.Output != "" {
				faults = fault.And(faults, publish.Check(o.Output, o.Overwrite))
			}
			return fault.Together(faults)
		}
	}
	return nil
}

// released carries a run from the open input to the published files: each step
// takes what the one before it returns.
func released(ctx context.Context, o *request.Options, command string, each []column) (r []*report.Report, err error) {
	opened, err := open(ctx, o, command, each)
	if err != nil {
		return nil, err
	}
	defer opened.close(&err)
	counted, err := opened.count(ctx)
	if err != nil {
		return nil, err
	}
	decided, err := counted.decide(ctx)
	if err != nil {
		return nil, err
	}
	drawn, err := decided.draw(ctx)
	if err != nil {
		return nil, err
	}
	return drawn.finish(ctx)
}

// finish carries a run on once its records are drawn.
func (r drawn) finish(ctx context.Context) ([]*report.Report, error) {
	checked, err := r.check(ctx)
	if err != nil {
		return nil, err
	}
	told, err := checked.tell(ctx)
	if err != nil {
		return nil, err
	}
	return told.reports, told.publish(ctx)
}
