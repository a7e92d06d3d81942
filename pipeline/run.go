package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Run is the whole job: estimate, design, privatize, check, publish. There is
// a report for each private column.
func Run(ctx context.Context, o request.Options) ([]*report.Report, error) {
	o.SettleReport()
	if err := Check(ctx, o, "run"); err != nil {
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
	o.SettleReport()
	if err := Check(ctx, o, "apply"); err != nil {
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

// Check refuses what a command cannot follow, all of it at once: what is missing or
// contradicts, files and columns that are not there, and an output that may not be
// written. Where nothing else is wrong, the output is checked as it is opened, with all
// other files.
func Check(ctx context.Context, o request.Options, command string) error {
	var faults []*fault.Fault
	for _, e := range o.Each() {
		err := count.Check(e, command, e.MayFollow(command) && !first(ctx, e, false))
		if err != nil && e.MayFollow(command) {
			err = count.Check(e, command, !first(ctx, e, true))
		}
		faults = fault.And(faults, err)
	}
	if len(faults) > 0 && o.Output != "" && !o.Streams() && !dataset.Tree(o.Input) {
		faults = fault.And(faults, publish.Check(o.Output, o.Overwrite))
	}
	return fault.Together(faults)
}

// first reports whether a run begins a series, so that no plan says what is left out;
// thoroughly looks into a ledger that is there.
func first(ctx context.Context, o *request.Options, thoroughly bool) bool {
	if o.Plan != "" {
		return false
	}
	if _, err := os.Stat(o.Ledger); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if !thoroughly || o.Dataset == "" || o.Column == "" {
		return false
	}
	p, err := planOfLedger(ctx, &o.Repeat, o.Column)
	return p == nil && err == nil
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
