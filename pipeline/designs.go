package pipeline

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// Design makes a plan and writes it to o.Plan, with order.csv beside it. The
// advice is on the next better floor; nil where there is none.
func Design(ctx context.Context, o options.Options) (p *plan.Plan, a *decide.Advice, err error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	if _, err := o.ParseEpsilon(); err != nil {
		return nil, nil, err
	}
	w, err := source.NewStudy(ctx, &o, filepath.Join(filepath.Dir(o.Plan), plan.OrderFile), o.Plan)
	if err != nil {
		return nil, nil, err
	}
	defer w.End(&err)
	if p, err = decide.Plan(ctx, &o, w.Domain, w.Source); err != nil {
		return nil, nil, err
	}
	if a, err = decide.Advise(ctx, &o, p); err != nil {
		return nil, nil, err
	}
	data, err := p.Encode()
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(documents.Write(w.Files[0], p.OrderCSV), documents.Write(w.Files[1], data)); err != nil {
		return nil, nil, err
	}
	return p, a, w.Set.Commit()
}
