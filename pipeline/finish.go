package pipeline

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// finish closes the output, checks it, accounts for it and publishes.
func (r *release) finish(ctx context.Context, command string) ([]*report.Report, error) {
	back, err := r.output.Reopen()
	if err != nil {
		return nil, err
	}
	written, err := colfile.FromFile(back)
	if err != nil {
		return nil, err
	}
	defer written.Close()
	file, err := colfile.Open(written, colfile.Request{Private: r.s.Names(), Threads: r.o.Threads})
	if err != nil {
		return nil, &fault.Fault{Class: fault.Internal, What: "the written file cannot be read again: " + err.Error(), Err: err}
	}
	defer file.Close()
	beside, besideContext := errgroup.WithContext(ctx)
	var outputHash string
	beside.Go(r.output.Close)
	beside.Go(func() (err error) { outputHash, err = documents.Sum(besideContext, r.o, written); return err })
	beside.Go(func() error { return r.signed.signOutput(besideContext, r, written) })
	err = records.Check(ctx, r.o, r.s, drawnOf(r.parts), file)
	if err := errors.Join(err, beside.Wait()); err != nil {
		return nil, err
	}
	inputHash, err := r.input.Wait()
	if err != nil {
		return nil, err
	}
	if err := r.s.Unchanged(); err != nil {
		return nil, err
	}
	r.joint.counted(r.parts)
	var reports []*report.Report
	for _, p := range r.parts {
		if err := p.Book.Write(ctx, outputHash, p.Tally.Rows); err != nil {
			return nil, err
		}
		rep := p.told(account.Of(p.Options, p.Source, p.Plan, p.d, p.Tally.Written(p.Plan), p.command(command), p.beside))
		rep.Checks, rep.Joint = p.Checks, r.joint.told()
		p.remember(rep)
		rep.History.Moved = p.moved
		rep.Input.SHA256, rep.Output.SHA256, rep.Output.Bytes = inputHash, outputHash, written.Size()
		reports = append(reports, rep)
	}
	return reports, r.publish(ctx, reports)
}

// publish writes plans, orders and reports and puts everything in place.
func (r *release) publish(ctx context.Context, reports []*report.Report) error {
	all := r.signed.outputSignature()
	for i, p := range r.parts {
		own, err := p.documents(r, reports[i])
		if err != nil {
			return err
		}
		all = append(all, own...)
	}
	own, err := r.jointDocuments(reports)
	if err != nil {
		return err
	}
	if err := documents.WriteAll(append(all, own...)); err != nil {
		return err
	}
	if err := r.seal(ctx); err != nil {
		return err
	}
	if err := r.commit(); err != nil {
		return err
	}
	return r.settle(ctx)
}
