package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/booking"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// book reserves every part of the release in the ledger.
func (r *release) book(ctx context.Context, inputHash string) (err error) {
	for _, p := range r.parts {
		if err = p.memo.Follow(p.p); err != nil {
			return err
		}
		if p.book, err = booking.Reserve(ctx, p.o, p.memo, p.p, inputHash); err != nil {
			return err
		}
		if p.book != nil && p.o.OverBudget == "suppress" && p.a.to.Null() < 0 && !p.s.Column.Nullable {
			return fault.New(fault.Input, "choose --over-budget repeat, or make the column nullable", "%s: column %q is required and cannot hold the null of --over-budget suppress", p.s.Path, p.p.Column)
		}
	}
	return nil
}

// unbook gives back what a failed release had reserved.
func (r *release) unbook(err *error) {
	for _, p := range r.parts {
		p.book.Close(err)
	}
}

// seal records that the release may be published from here on.
func (r *release) seal(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.book.Seal(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle records that everything is in place.
func (r *release) settle(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.book.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remember puts into the report how records were recognised, and what all
// releases told together.
func (p *part) remember(r *report.Report) {
	p.memo.Tell(r, p.tally.recall)
	p.book.Tell(r)
}
