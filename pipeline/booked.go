package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// book reserves every part of the release in the ledger.
func (r *release) book(ctx context.Context) (err error) {
	inputHash := ""
	if r.o.Ledger != "" { // which has it before anything is drawn
		if inputHash, err = r.inputHash(); err != nil {
			return err
		}
	}
	for _, p := range r.parts {
		if err = p.Memo.Follow(p.Plan); err != nil {
			return err
		}
		p.Memo.MayBeNull(p.Source.Column.Nullable)
		if p.Book, err = releases.Reserve(ctx, releases.Announced{Repeat: &p.Options.Repeat, Output: p.Options.Output,
			InputSHA256: inputHash, Redesign: p.Options.Redesign}, p.Memo, p.Plan); err != nil {
			return err
		}
		if p.Book != nil && p.Options.OverBudget == "suppress" && p.Alphabets.To.Null() < 0 && !p.Source.Column.Nullable {
			return fault.New(fault.Input, "choose --over-budget repeat, or make the column nullable",
				"%s: column %q is required, so it cannot hold the nulls of --over-budget suppress", p.Source.Path,
				p.Plan.Column)
		}
	}
	return nil
}

// unbook gives back what a failed release had reserved.
func (r *release) unbook(err *error) {
	for _, p := range r.parts {
		p.Book.Close(err)
	}
}

// seal records that the release may be published from here on.
func (r *release) seal(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.Book.Seal(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle records that everything is in place.
func (r *release) settle(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.Book.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remember puts into the report how records were recognised, and what all
// releases told together.
func (p *part) remember(r *report.Report) {
	p.tellRun(r)
	p.Memo.Tell(r, p.Tally.Recall)
	p.Book.Tell(r, p.Tally.Recall)
	account.Released(r, p.Plan)
}
