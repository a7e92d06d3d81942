package source

import (
	"context"
	"errors"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
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
func NewStudy(ctx context.Context, o *options.Options, targets ...string) (w *Study, err error) {
	w = &Study{}
	defer func() {
		if err != nil {
			w.End(&err)
		}
	}()
	switch {
	case o.Input != "" && o.Counts != "":
		return w, fault.New(fault.Usage, "give one of them", "--input and --counts are both given")
	case o.Counts == "":
		if w.Source, err = OpenColumn(o, o.Column); err != nil {
			return w, err
		}
	}
	if w.Set, err = OpenSet(w.opened(), o); err != nil {
		return w, err
	}
	for _, path := range targets {
		f, err := w.Set.Add(publish.Target{Path: path, Overwrite: o.Overwrite, Private: true})
		if err != nil {
			return w, err
		}
		w.Files = append(w.Files, f)
	}
	w.Domain, err = count(ctx, o, w.Source)
	return w, err
}

// opened is the input, nil for counts.
func (w *Study) opened() *Input {
	if w.Source == nil {
		return nil
	}
	return w.Source.Input
}

// count finds the letters: those of the source, or of the counts file where
// there is none.
func count(ctx context.Context, o *options.Options, s *Source) (*Domain, error) {
	if s == nil {
		return countedDomain(o.Counts)
	}
	if err := s.Scan(ctx, o); err != nil {
		return nil, err
	}
	return NewDomain(o, s)
}

// End closes the input and, where the study failed, removes what it left.
func (w *Study) End(err *error) {
	if w.Set != nil {
		documents.Abort(w.Set, err)
	}
	if w.Source != nil {
		*err = errors.Join(*err, w.Source.Close())
	}
}
