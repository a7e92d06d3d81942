package pipeline

import (
	"context"
	"errors"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A study works out a design or a frontier: from the input, or from counts
// that were taken before.
type study struct {
	s    *source // nil for counts
	d    *domain
	set  *publish.Set
	file []*publish.File // as the targets
}

// study refuses targets that may not be written, and then counts. The caller
// ends it.
func (o *Options) study(ctx context.Context, targets ...string) (w *study, err error) {
	w = &study{}
	defer func() {
		if err != nil {
			w.end(&err)
		}
	}()
	switch {
	case o.Input != "" && o.Counts != "":
		return w, fault.New(fault.Usage, "give one of them", "--input and --counts are both given")
	case o.Counts == "":
		if w.s, err = openSource(o, o.Column); err != nil {
			return w, err
		}
	}
	if w.set, err = openSet(w.opened()); err != nil {
		return w, err
	}
	for _, path := range targets {
		f, err := w.set.Add(publish.Target{Path: path, Overwrite: o.Overwrite, Private: true})
		if err != nil {
			return w, err
		}
		w.file = append(w.file, f)
	}
	w.d, err = o.count(ctx, w.s)
	return w, err
}

// opened is the input, nil for counts.
func (w *study) opened() *input {
	if w.s == nil {
		return nil
	}
	return w.s.input
}

// count finds the letters: those of the source, or of the counts file where
// there is none.
func (o *Options) count(ctx context.Context, s *source) (*domain, error) {
	if s == nil {
		return countedDomain(o.Counts)
	}
	if err := s.scan(ctx, o); err != nil {
		return nil, err
	}
	return newDomain(o, s)
}

// end closes the input and, where the study failed, removes what it left.
func (w *study) end(err *error) {
	if w.set != nil {
		abort(w.set, err)
	}
	if w.s != nil {
		*err = errors.Join(*err, w.s.close())
	}
}
