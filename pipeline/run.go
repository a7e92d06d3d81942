package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Options is what a user asks for; package request says what its fields mean.
type Options = request.Options

// Repeat is what a user asks for of a release that is made again and again.
type Repeat = request.Repeat

// Run is the whole job: estimate, design, privatize, check, publish. There is
// a report for each private column.
func Run(ctx context.Context, o request.Options) ([]*report.Report, error) {
	return asked{o.Settled(), "run"}.release(ctx, column.pin)
}

// Apply follows plans that were made before: nothing is decided here.
func Apply(ctx context.Context, o request.Options) ([]*report.Report, error) {
	return asked{o.Settled(), "apply"}.release(ctx, column.follow)
}

// Check refuses what a command cannot follow, all of it at once: what is missing or
// contradicts, files and columns that are not there, and an output that may not be
// written. Where nothing else is wrong, the output is checked as it is opened, with all
// other files.
func Check(ctx context.Context, o request.Options, command string) error {
	return asked{&o, command}.check(ctx)
}

// asked is what a user asks of a command.
type asked struct {
	*request.Options
	command string
}

// check is Check.
func (a asked) check(ctx context.Context) error {
	var faults []*fault.Fault
	for _, e := range a.Each() {
		c, may := column{Options: e}, e.MayFollow(a.command)
		err := count.Check(e, a.command, may && !c.first(ctx, false))
		if err != nil && may {
			err = count.Check(e, a.command, !c.first(ctx, true))
		}
		faults = fault.And(faults, err)
	}
	if len(faults) > 0 && a.Output != "" && !a.Streams() && !dataset.Tree(a.Input) {
		faults = fault.And(faults, publish.Check(a.Output, a.Overwrite))
	}
	return fault.Together(faults)
}

// release makes a release of the private columns, each with the plan that is found for it.
func (a asked) release(ctx context.Context, planned func(column, context.Context) (column, error)) ([]*report.Report,
	error) {
	if err := a.check(ctx); err != nil {
		return nil, err
	}
	var columns []column
	for _, e := range a.Each() {
		c, err := planned(column{Options: e}, ctx)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	o, err := a.Release()
	if err != nil {
		return nil, err
	}
	return released(ctx, o, a.command, columns, nil)
}

// released carries a run from the open input to the published files: each step
// takes what the one before it returns.
func released(ctx context.Context, o *request.Release, command string, columns []column,
	shards *witnessed) (r []*report.Report, err error) {
	opened, err := open(ctx, o, command, columns, shards)
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
	return finish(ctx, drawn)
}

// finish carries a run on once its records are drawn.
func finish(ctx context.Context, r drawn) ([]*report.Report, error) {
	checked, err := r.check(ctx, r.outputs.written(r.s.File.Set))
	if err != nil {
		return nil, err
	}
	told, err := checked.tell(ctx)
	if err != nil {
		return nil, err
	}
	if err := told.publish(ctx); err != nil {
		return told.reports, err
	}
	for _, p := range r.parts {
		if p.given == nil && p.Options.Compared != nil {
			p.Options.Compared(decide.Compare(ctx, p.asked, p.d, p.Plan))
		}
	}
	return told.reports, nil
}
