package count

import (
	"cmp"
	"context"
	"errors"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Study works out a design or a frontier: from the input, or from counts
// that were taken before.
type Study struct {
	Source *Source // nil for counts
	Domain *Domain
	Set    *publish.Set
	Files  []*publish.File // as the targets
}

// NewStudy refuses targets that may not be written, and then counts. The caller
// ends it.
func NewStudy(ctx context.Context, asked request.Study, targets ...string) (w *Study, err error) {
	w = &Study{}
	defer func() {
		if err != nil {
			w.End(&err)
		}
	}()
	var in *Input // nil for counts
	if asked.Counts == nil {
		if w.Source, err = OpenColumn(ctx, asked.Reading, asked.Column); err != nil {
			return w, err
		}
		in = w.Source.Input
	}
	if w.Set, err = OpenSet(in, asked.Files...); err != nil {
		return w, err
	}
	for _, path := range targets {
		f, err := w.Set.Add(publish.Target{Path: path, Overwrite: asked.Overwrite, Private: true})
		if err != nil {
			return w, err
		}
		w.Files = append(w.Files, f)
	}
	w.Domain, err = w.count(ctx, asked)
	return w, err
}

// count finds the letters: those of the source, or of the counts files where
// there is none.
func (w *Study) count(ctx context.Context, asked request.Study) (*Domain, error) {
	if w.Source != nil {
		if err := w.Source.Scan(ctx); err != nil {
			return nil, err
		}
		return NewDomain(asked.Letters, w.Source.Counted())
	}
	c, err := readAll(asked.Counts)
	if err != nil {
		return nil, err
	}
	if c.Column != "" && asked.Column != "" && c.Column != asked.Column {
		return nil, fault.New(fault.Input, "give the counts of this column, or name the other with --column",
			"%s has counts of column %q, not of %q", c.Path, c.Column, asked.Column)
	}
	if b := c.Alphabet.Type().Bins; asked.Bins != "" && asked.Bins != b.Asked() {
		return nil, fault.New(fault.Input, "make the counts with tacet estimate --bins "+report.Shell(asked.Bins)+
			", or leave --bins out", "%s has %s, and --bins is %s", c.Path, binsName(b), asked.Bins)
	}
	c.Column = cmp.Or(c.Column, asked.Column)
	return NewDomain(asked.Letters, c)
}

// End closes the input and, where the study failed, removes what it left.
func (w *Study) End(err *error) {
	if w.Set != nil {
		w.Set.AbortOn(err)
	}
	if w.Source != nil {
		*err = errors.Join(*err, w.Source.Close())
	}
}
