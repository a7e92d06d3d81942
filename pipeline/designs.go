package pipeline

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Design makes a plan and writes it to o.WritePlan, with order.csv beside it. The
// advice is on the next better floor; nil where there is none.
func Design(ctx context.Context, o request.Options) (p *plan.Plan, a *decide.Advice, err error) {
	if err := count.Check(&o, "design", false); err != nil {
		return nil, nil, err
	}
	study, err := o.Study()
	if err != nil {
		return nil, nil, err
	}
	order := filepath.Join(filepath.Dir(o.WritePlan), plan.OrderFile)
	w, err := count.NewStudy(ctx, study, order, o.WritePlan)
	if err != nil {
		return nil, nil, alone(err, order)
	}
	defer w.End(&err)
	asked, err := o.Decision()
	if err != nil {
		return nil, nil, err
	}
	if err := w.Domain.Group(ctx, asked, w.Source); err != nil {
		return nil, nil, err
	}
	if p, err = decide.Plan(ctx, asked, w.Domain); err != nil {
		return nil, nil, count.Lacking(ctx, w.Domain, w.Source, err)
	}
	p.Stated = stating(p, o.Account("design"), w.Domain)
	if a, err = decide.Advise(ctx, o.SolveTime, p); err != nil {
		return nil, nil, err
	}
	var data []byte
	if err := decide.Interruptible(ctx, func() (err error) {
		data, err = p.Encode()
		return err
	}); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(w.Files[0].Fill(p.OrderCSV), w.Files[1].Fill(data)); err != nil {
		return nil, nil, err
	}
	weights, err := weightsBeside(w.Set, o.WritePlan, o.Overwrite, p)
	if err == nil {
		err = publish.WriteAll(weights)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := w.Set.Commit(); err != nil {
		return nil, nil, err
	}
	if o.Compared != nil {
		o.Compared(decide.Compare(ctx, asked, w.Domain, p))
	}
	return p, a, nil
}

// alone says of an order that stands already that every plan has a folder of its own.
func alone(err error, order string) error {
	var target *publish.TargetError
	if errors.As(err, &target) && target.Exists && target.Path == order {
		return &publish.TargetError{Path: order, What: "exists, as a plan has its order beside it", Exists: true,
			Hint: "give each plan a folder of its own, or give --overwrite"}
	}
	return err
}
