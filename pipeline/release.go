package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A release is a run whose files are on their way.
type release struct {
	place
	command string // that asked for it
	s       *count.Input
	parts   parts
	joint   *report.Joint // of all parts together; nil of one
	input   *summing      // of the input; nil until it is begun, and where it is hashed with the output
	run     *rerun
	before  *report.Report // of the release before, nil where none was given
	shards  *witnessed     // by whose receipts the records are known; nil where they are drawn here
}

// A release goes through these in turn: each step is a method of one and returns
// the next, so that none can be left out.
type (
	counted struct{ *release } // the values of the private columns are known
	decided struct{ *release } // so are the plans, and what is seen beside them
	drawn   struct{ *release } // the output is written, and not yet closed
	checked struct {           // it holds what the plans allow
		*release
		inputHash, outputHash string
		written               []kept
	}
	told struct { // the reports are there
		*release
		reports []*report.Report
		list    []publish.Document // of the files of a data set
	}
)

// open makes ready what a release reads and writes. Nothing of a record is read.
func open(ctx context.Context, o *request.Release, command string, columns []column, shards *witnessed) (_ *release,
	err error) {
	var private []request.Private
	for _, e := range columns {
		private = append(private, request.Private{Name: e.Column, Strata: e.Strata})
	}
	if err := o.CheckColumns(private); err != nil {
		return nil, err
	}
	before, err := page.Before(o.Previous, len(columns))
	if err != nil {
		return nil, err
	}
	signer, err := signerOf(o.Sign, o.Hash)
	if err != nil {
		return nil, err
	}
	run, err := newRerun(o.RunKey, o.RunID)
	if err != nil {
		return nil, err
	}
	var names, files []string
	var memos []*releases.Memo
	for _, e := range columns {
		m, err := releases.NewMemo(&e.Repeat, e.Column)
		if err != nil {
			return nil, err
		}
		names, memos, files = append(names, e.Column), append(memos, m), append(files, e.Reads()...)
	}
	r := &release{place: place{o: o, signer: signer}, command: command, run: run, before: before, shards: shards}
	if shards != nil {
		r.s = shards.input
	} else if r.s, err = opened(ctx, columns, names); err != nil {
		return nil, err
	}
	s := r.s
	defer func() {
		if err != nil {
			r.close(&err)
		}
	}()
	for i, e := range columns {
		r.parts = append(r.parts, &part{column: e,
			Part: records.Part{Source: s.Private[i], Memo: memos[i], Seed: e.TestSeed}})
	}
	if r.set, err = count.OpenSet(s, files...); err != nil {
		return nil, err
	}
	r.set.Until(ctx)
	if err := r.lock(s.File.Tree, each(r.parts, func(p *part) string { return p.Options.Report })...); err != nil {
		return nil, err
	}
	if err := r.targets(); err != nil {
		return nil, err
	}
	if shards != nil {
		r.input = shards.sums()
	} else {
		r.input = beginSums(ctx, o.Hash, s.File)
	}
	return r, nil
}

// opened is the input of these private columns.
func opened(ctx context.Context, columns []column, names []string) (*count.Input, error) {
	reading, err := columns[0].Reading()
	if err != nil {
		return nil, err
	}
	for _, e := range columns {
		if reading.Bins[e.Column], err = e.Binning(); err != nil {
			return nil, err
		}
	}
	return count.Open(ctx, reading, names)
}

// targets refuses what may not be written, before anything is read, and opens
// the temporary files. The statement of the release comes last.
func (r *release) targets() error {
	if err := r.openOutputs(r.s.File.Set); err != nil {
		return err
	}
	if err := r.suits(r.s); err != nil {
		return err
	}
	if err := noOther(r.o.Report, len(r.parts)); err != nil {
		return err
	}
	for _, p := range r.parts {
		if err := r.open(p.Options.Report, columnFiles...); err != nil {
			return err
		}
		if err := p.pinnedFiles(&r.place); err != nil {
			return err
		}
	}
	if err := r.open(r.o.Report, releaseFiles(len(r.parts))...); err != nil {
		return err
	}
	return r.openStatements()
}

// close ends a release. Where it failed, the temporary files go first, whose room
// the ledger may need to write down that nothing was published.
func (r *release) close(err *error) {
	if r.input != nil {
		r.input.Stop()
	}
	if r.set != nil {
		r.set.AbortOn(err)
		for _, p := range r.parts {
			p.Book.Close(err)
		}
		r.set.Unlock() // what cannot be removed is swept by the next run
	}
	r.s.Close()
}

// count is pass one; ids are read where draws depend on them, and the groups of records where a
// column is given.
func (r *release) count(ctx context.Context) (c counted, err error) {
	if err := r.s.Scan(ctx); err != nil {
		return c, err
	}
	if err := r.parts[0].Memo.Check(ctx, r.s.Private[0]); err != nil {
		return c, err
	}
	return counted{r}, r.parts.do(func(p *part) error { return p.count(ctx) })
}

// decide makes the plans or follows those that are given, and refuses what they
// would tell beside what else is published.
func (r counted) decide(ctx context.Context) (d decided, err error) {
	if err := r.parts.do(func(p *part) error { return p.decide(ctx) }); err != nil {
		return d, err
	}
	for _, p := range r.parts {
		if p.Alphabets, err = records.AlphabetsOf(p.Plan, p.Source); err != nil {
			return d, err
		}
	}
	if r.joint, err = jointly(ctx, r.o, r.s, r.parts); err != nil {
		return d, err
	}
	if err := r.parts.do((*part).changes); err != nil {
		return d, err
	}
	return decided{r.release}, r.parts.do(func(p *part) (err error) {
		p.beside, err = auditBeside(ctx, p.Options.Observed(), p.Source, p.Plan, p.Alphabets)
		return err
	})
}

// draw is pass two, once the ledger has the release.
func (r decided) draw(ctx context.Context) (d drawn, err error) {
	hash := ""
	if r.o.Ledger != "" { // which has it before anything is drawn
		if hash, err = r.input.Hash(r.s.File.Set); err != nil {
			return d, err
		}
	}
	if err := r.parts.do(func(p *part) error { return p.book(ctx, hash) }); err != nil {
		return d, err
	}
	if r.run != nil {
		sums, err := r.input.wait()
		if err != nil {
			return d, err
		}
		if err := r.run.renamed(r.s.File.Members, sums, r.before, r.o.Previous); err != nil {
			return d, err
		}
		if err := r.run.begin(r.s.File.Members, sums, r.parts); err != nil {
			return d, err
		}
	}
	if r.shards != nil {
		r.parts[0].Tally = r.shards.tally
		return drawn{r.release}, nil
	}
	return drawn{r.release}, records.Draw(ctx, r.s, r.parts.drawn(), r.outputs)
}
