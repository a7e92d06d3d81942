package pipeline

import (
	"context"
	"errors"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/booking"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/render"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// Names of the files in the report folder.
const (
	textFile = "report.txt"
	jsonFile = "report.json"
)

// A release is a run whose files are on their way.
type release struct {
	o      *options.Options
	s      *source.Input
	parts  []*part      // one per private column
	joint  *jointReport // nil where there is one part
	input  *documents.Hashing
	set    *publish.Set
	output *publish.File
	signed *signatures
}

// releaseColumns carries a run from the open input to the published files; each are
// the options column by column.
func releaseColumns(ctx context.Context, o *options.Options, command string, each []*options.Options, decide func([]*part) error) (r []*report.Report, err error) {
	if err := o.CheckColumns(each); err != nil {
		return nil, err
	}
	before, err := render.Before(o, len(each))
	if err != nil {
		return nil, err
	}
	signed, err := newSignatures(o)
	if err != nil {
		return nil, err
	}
	var columns []string
	var memos []*booking.Memo
	for _, e := range each {
		m, err := booking.NewMemo(e, e.Column)
		if err != nil {
			return nil, err
		}
		columns, memos = append(columns, e.Column), append(memos, m)
	}
	s, err := source.Open(o, columns)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rel := &release{o: o, s: s, signed: signed}
	for i, e := range each {
		rel.parts = append(rel.parts, &part{Part: records.Part{Options: e, Source: s.Private[i], Memo: memos[i]}, before: before})
	}
	if rel.set, err = source.OpenSet(s, each...); err != nil {
		return nil, err
	}
	defer documents.Abort(rel.set, &err)
	if err := rel.targets(); err != nil {
		return nil, err
	}
	unlock, err := rel.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	rel.input = documents.Begin(ctx, o, s.Local)
	defer rel.input.Stop()
	if err := s.Scan(ctx, o); err != nil {
		return nil, err
	}
	if err := memos[0].Check(ctx, o, s.Private[0]); err != nil {
		return nil, err
	}
	if rel.parts[0].moved, err = booking.Moved(ctx, each[0], memos[0], s.Private[0]); err != nil {
		return nil, err
	}
	if err := decide(rel.parts); err != nil {
		return nil, err
	}
	for _, p := range rel.parts {
		if p.Alphabets, err = records.AlphabetsOf(p.Options, p.Plan, p.Source, p.Source.Alphabet.Type()); err != nil {
			return nil, err
		}
	}
	if err := rel.jointly(ctx); err != nil {
		return nil, err
	}
	for _, p := range rel.parts {
		if p.beside, err = auditBeside(ctx, p.Options, p.Source, p.Plan, p.Alphabets); err != nil {
			return nil, err
		}
	}
	defer func() { rel.unbook(&err) }()
	if err := rel.book(ctx); err != nil {
		return nil, err
	}
	if err := records.Draw(ctx, o, s, drawnOf(rel.parts), rel.joint.crossing(), rel.output); err != nil {
		return nil, err
	}
	return rel.finish(ctx, command)
}

// targets refuses what may not be written, before anything is read, and opens
// the temporary files. report.json comes last.
func (r *release) targets() (err error) {
	switch {
	case r.o.Output == "":
		return fault.New(fault.Usage, "name the file with --output", "no output is given")
	case r.o.Report == "":
		return fault.New(fault.Usage, "name the folder with --report", "no report folder is given")
	}
	if r.output, err = r.set.Add(publish.Target{Path: r.o.Output, Overwrite: r.o.Overwrite}); err != nil {
		return r.overwriteHint(err)
	}
	if err := r.signed.addOutput(r); err != nil {
		return err
	}
	if err := r.noOther(); err != nil {
		return err
	}
	for _, p := range r.parts {
		if err := p.targets(r); err != nil {
			return err
		}
	}
	return r.jointTarget()
}

// overwriteHint says what overwriting an earlier release means.
func (r *release) overwriteHint(err error) error {
	var t *publish.TargetError
	if errors.As(err, &t) && t.Exists {
		return &fault.Fault{Class: fault.Usage, What: t.Error(), Hint: "name another file, or give --overwrite; two fresh draws of the same data together leak more than epsilon", Err: err}
	}
	return err
}
