package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// check closes the output, reads what is written again, and hashes what was read and written.
func (r drawn) check(ctx context.Context, written *dataset.Set) (c checked, err error) {
	if r.shards != nil {
		return r.believe()
	}
	file, err := dataset.Open(ctx, written, table.Request{Private: r.s.Names(),
		Threads: r.o.Threads, Dialect: r.s.File.Dialect()}, count.OpenFile)
	if err != nil {
		f := &fault.Fault{Class: fault.Internal, What: "the written file cannot be read again: " + err.Error(), Err: err}
		if errors.Is(err, fs.ErrPermission) { // of a file that this run has just made
			f.Class, f.Hint = fault.Environment, "write to another disk"
		}
		return c, f
	}
	defer file.Close()
	c = checked{release: r.release}
	beside, besideContext := errgroup.WithContext(ctx)
	beside.Go(r.outputs.close)
	var sums []string
	beside.Go(func() (err error) {
		sums, err = file.Sum(besideContext, r.o.Hash)
		return err
	})
	err = r.asSharded(records.Check(ctx, r.s, r.parts.drawn(), file))
	if err := errors.Join(err, beside.Wait()); err != nil {
		return c, cmp.Or(r.s.Unchanged(), err) // an input that changes looks damaged
	}
	for i, sum := range sums {
		c.written = append(c.written, kept{SHA256: sum, Bytes: file.BytesOf(i)})
	}
	c.outputHash = file.Set.Hash(sums)
	if c.inputHash, err = r.input.Hash(r.s.File.Set); err != nil {
		return c, err
	}
	return c, r.s.Unchanged()
}

// believe takes what the shards checked, and judges all of it together.
func (r drawn) believe() (c checked, err error) {
	c = checked{release: r.release, written: r.shards.out}
	var sums []string
	for i, f := range r.shards.out {
		sums = append(sums, f.SHA256)
		r.outputs[i].Expect(f.SHA256, f.Mark)
	}
	if err := r.asSharded(r.parts[0].Judge()); err != nil {
		return c, err
	}
	c.outputHash = r.s.File.Set.Hash(sums)
	c.inputHash, err = r.input.Hash(r.s.File.Set)
	return c, err
}

// asSharded is what is wrong with files that this run did not write.
func (r drawn) asSharded(err error) error {
	if f := fault.As(err); r.o.Waiting != "" && f != nil && f.Class == fault.Internal {
		return &fault.Fault{Class: fault.Input, What: "what the shards wrote is not what this plan, run key and input " +
			"give: " + f.What,
			Hint: "the input has changed since, or a file is damaged: remove " + r.o.Waiting + ", and run the shards again",
			Err:  err}
	}
	return err
}

// tell accounts for what was drawn, in the ledger and in a report for each part.
func (r checked) tell(ctx context.Context) (t told, err error) {
	t.release = r.release
	in, out := r.files()
	for _, p := range r.parts {
		if err := p.Book.Write(ctx, r.outputHash, p.Tally.Rows, p.Tally.Recall); err != nil {
			return t, err
		}
		f := p.facts(r.command)
		f.Input, f.Output, f.Joint = in, out, r.joint
		if f.Draws.Kind == "" {
			f.Draws.KeyID, f.Draws.RunID = r.run.names()
		}
		if err := decide.Interruptible(ctx, func() error {
			t.reports = append(t.reports, account.Of(ctx, f))
			return nil
		}); err != nil {
			return t, err
		}
	}
	t.list, err = r.listed()
	return t, err
}

// files are what a report says of input and output.
func (r checked) files() (in, out report.File) {
	of := r.s.File
	in = report.File{Path: store.Plain(r.o.Input), SHA256: r.inputHash, Rows: r.s.Rows, Bytes: of.Bytes(),
		Format: of.Format()}
	out = report.File{Path: store.Plain(r.o.Output), SHA256: r.outputHash, Rows: r.s.Rows, Format: of.Format()}
	if d := of.Dialect(); d.Delimiter != "" {
		in.Dialect = &report.Dialect{Delimiter: d.Delimiter, Header: d.Header == "yes"}
		out.Dialect = in.Dialect
	}
	for _, f := range r.written {
		out.Bytes += f.Bytes
	}
	if of.Tree {
		in.Files, out.Files, in.Empty = len(r.written), len(r.written), of.Empty
	}
	return in, out
}

// listed is the list of the files of a set, nil where there is one file.
func (r checked) listed() ([]publish.Document, error) {
	if !r.many {
		return nil, nil
	}
	in, err := r.input.wait()
	if err != nil {
		return nil, err
	}
	f := r.s.File
	if err := copied(f.Set, in); err != nil {
		return nil, err
	}
	var list report.List
	for i, m := range f.Members {
		list = append(list, report.Listed{Path: m.Rel, Rows: f.Rows(i), Bytes: f.BytesOf(i), SHA256: in[i],
			OutBytes: r.written[i].Bytes, OutSHA256: r.written[i].SHA256})
	}
	data, err := list.Encode()
	return r.documents(r.o.Report, map[string][]byte{report.ListFile: data}), err
}

// publish writes plans, orders and reports and puts everything in place.
func (r told) publish(ctx context.Context) error {
	var all, pinned []publish.Document
	for i, p := range r.parts {
		own, replaced, err := p.planDocuments(&r.place, r.reports[i])
		if err != nil {
			return err
		}
		all, pinned = append(all, own...), append(pinned, replaced...)
	}
	joint, err := jointDocuments(&r.place, r.reports)
	if err != nil {
		return err
	}
	for i, p := range r.parts {
		own, err := p.documents(&r.place, r.reports[i])
		if err != nil {
			return err
		}
		all = append(all, own...)
	}
	texts, err := pages(r.reports)
	if err != nil {
		return err
	}
	all = slices.Concat(all, joint, r.documents(r.o.Report, texts), r.list)
	statements, err := r.statements(r.run.commitment(r.o.TestSeed, r.parts), all, r.reports[0])
	if err != nil {
		return err
	}
	if err := publish.WriteAll(slices.Concat(all, pinned, statements)); err != nil {
		return err
	}
	if err := r.set.Check(); err != nil { // what is sealed counts as published
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.parts.do(func(p *part) error { return p.Book.Seal(ctx) }); err != nil {
		return err
	}
	r.set.Claim(r.reports[0].Output.SHA256)
	if err := r.commit(); err != nil {
		return err
	}
	return r.parts.do(func(p *part) error { return p.Book.Commit(ctx) })
}
