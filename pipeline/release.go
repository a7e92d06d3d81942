package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Names of the files in the report folder.
const (
	planFileName   = "plan.json"
	textFile       = "report.txt"
	jsonFile       = "report.json"
	unknownLetters = "unknown-letters.txt"
)

// A release is a run whose files are on their way.
type release struct {
	o      *Options
	s      *source
	set    *publish.Set
	output *publish.File
	plan   *publish.File
	order  *publish.File
	views  *views
	json   *publish.File
	signed *signatures
	beside *report.Beside
}

// Run is the whole job: estimate, design, privatize, check, publish.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if _, err := o.epsilon(); err != nil {
		return nil, err
	}
	return o.release(ctx, o.Column, "run", func(s *source) (*plan.Plan, *domain, error) {
		d, err := newDomain(&o, s)
		if err != nil {
			return nil, nil, err
		}
		p, err := design(ctx, &o, d, s)
		return p, d, err
	})
}

// Apply follows a plan that was made before: nothing is decided here.
func Apply(ctx context.Context, o Options) (*report.Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Plan == "" {
		return nil, faultf(Usage, "name the plan with --plan", "no plan is given")
	}
	p, err := LoadPlan(o.Plan)
	if err != nil {
		return nil, err
	}
	o.Null = p.Null
	return o.release(ctx, p.Column, "apply", func(s *source) (*plan.Plan, *domain, error) {
		d, err := newDomain(&o, s)
		if err != nil {
			return nil, nil, err
		}
		if err := seen(ctx, &o, s, d, p); err != nil {
			return nil, nil, err
		}
		return p, d, d.drift(p)
	})
}

// release carries a run from the open input to the published files.
func (o *Options) release(ctx context.Context, column, command string, decide func(*source) (*plan.Plan, *domain, error)) (r *report.Report, err error) {
	signed, err := newSignatures(o)
	if err != nil {
		return nil, err
	}
	s, err := openSource(o, column)
	if err != nil {
		return nil, err
	}
	defer s.close()
	rel := &release{o: o, s: s, signed: signed}
	if rel.set, err = openSet(s); err != nil {
		return nil, err
	}
	defer abort(rel.set, &err)
	if err := rel.targets(); err != nil {
		return nil, err
	}
	unlock, err := rel.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.scan(ctx, o); err != nil {
		return nil, err
	}
	p, d, err := decide(s)
	if err != nil {
		return nil, err
	}
	a, err := alphabetsOf(o, p, s, s.alphabet.Type())
	if err != nil {
		return nil, err
	}
	if rel.beside, err = o.audit(ctx, s, p, a); err != nil {
		return nil, err
	}
	drawing, drawContext := errgroup.WithContext(ctx)
	var inputHash string
	drawing.Go(func() (err error) { inputHash, err = o.sum(drawContext, s.local); return err })
	drawing.Go(func() error { return apply(drawContext, o, s, p, a, rel.output) })
	if err := drawing.Wait(); err != nil {
		return nil, err
	}
	return rel.finish(ctx, p, d, a, command, inputHash)
}

// targets refuses what may not be written, before anything is read, and opens
// the temporary files. report.json comes last.
func (r *release) targets() (err error) {
	switch {
	case r.o.Output == "":
		return faultf(Usage, "name the file with --output", "no output is given")
	case r.o.Report == "":
		return faultf(Usage, "name the folder with --report", "no report folder is given")
	}
	if err := r.set.Folder(r.o.Report); err != nil {
		return err
	}
	if r.output, err = r.set.Add(publish.Target{Path: r.o.Output, Overwrite: r.o.Overwrite}); err != nil {
		return r.overwriteHint(err)
	}
	if err := errors.Join(r.signed.addOutput(r), r.signed.addReport(r, filepath.Join(r.o.Report, jsonFile), true)); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		to   **publish.File
	}{{planFileName, &r.plan}, {plan.OrderFile, &r.order}} {
		if *f.to, err = r.add(filepath.Join(r.o.Report, f.name), true); err != nil {
			return err
		}
	}
	if r.views, err = r.addViews(); err != nil {
		return err
	}
	r.json, err = r.add(filepath.Join(r.o.Report, jsonFile), true)
	return err
}

// overwriteHint says what overwriting an earlier release means.
func (r *release) overwriteHint(err error) error {
	var t *publish.TargetError
	if errors.As(err, &t) && t.Exists {
		return &Fault{Usage, t.Error(), "name another file, or give --overwrite; two fresh draws of the same data together leak more than epsilon", err}
	}
	return err
}

// finish closes the output, checks it, accounts for it and publishes.
func (r *release) finish(ctx context.Context, p *plan.Plan, d *domain, a alphabets, command, inputHash string) (*report.Report, error) {
	back, err := r.output.Reopen()
	if err != nil {
		return nil, err
	}
	written, err := colfile.FromFile(back)
	if err != nil {
		return nil, err
	}
	defer written.Close()
	file, err := colfile.Open(written, colfile.Request{Private: []string{p.Column}, Threads: r.o.Threads})
	if err != nil {
		return nil, &Fault{Internal, "the written file cannot be read again: " + err.Error(), "", err}
	}
	defer file.Close()
	beside, besideContext := errgroup.WithContext(ctx)
	var outputHash string
	beside.Go(r.output.Close)
	beside.Go(func() (err error) { outputHash, err = r.o.sum(besideContext, written); return err })
	beside.Go(func() error { return r.signed.signOutput(besideContext, r, written) })
	t, checks, err := check(ctx, r.o, r.s, p, a, file)
	if err := errors.Join(err, beside.Wait()); err != nil {
		return nil, err
	}
	if err := r.s.unchanged(); err != nil {
		return nil, err
	}
	rep := account(r.o, r.s, p, d, a, t, command, r.beside)
	rep.Prior.Of, rep.Checks = "this file", checks
	if command == "apply" {
		rep.Prior.Of = "the plan"
	}
	rep.Input.SHA256, rep.Output.SHA256, rep.Output.Bytes = inputHash, outputHash, written.Size()
	return rep, r.publish(p, rep)
}

// publish writes plan, order and report and puts everything in place.
func (r *release) publish(p *plan.Plan, rep *report.Report) error {
	plan, err := p.Encode()
	if err != nil {
		return err
	}
	rep.Plan = report.Hashes{Plan: p.Hash, Design: p.DesignHash}
	var data bytes.Buffer
	if err := rep.WriteJSON(&data); err != nil {
		return err
	}
	views, err := r.views.documents(r, rep, data.Bytes())
	if err != nil {
		return err
	}
	documents := append(r.signed.outputSignature(), document{r.plan, plan}, document{r.order, p.OrderCSV}, document{r.json, data.Bytes()})
	documents = append(documents, views...)
	signatures, err := r.signed.signReport(r, filepath.Join(r.o.Report, jsonFile), data.Bytes(), rep.Output.SHA256)
	if err != nil {
		return err
	}
	if err := writeAll(append(documents, signatures...)); err != nil {
		return err
	}
	return r.commit()
}

func openSet(s *source) (*publish.Set, error) {
	var inputs []fs.FileInfo
	if s != nil {
		st, err := s.local.Stat()
		if err != nil {
			return nil, fmt.Errorf("looking at the input: %w", err)
		}
		inputs = append(inputs, st)
	}
	return publish.NewSet(inputs...), nil
}

// abort removes what a failed run left.
func abort(set *publish.Set, err *error) {
	if *err != nil {
		*err = errors.Join(*err, set.Abort())
	}
}
