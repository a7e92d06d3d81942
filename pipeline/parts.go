package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/releases"
)

// Parts are those of a release, one for each private column.
type parts []*part

// book reserves every part of the release in the ledger. The input's hash is "" without one.
func (all parts) book(ctx context.Context, inputHash string) (err error) {
	for _, p := range all {
		if err = p.Memo.Follow(p.Plan); err != nil {
			return err
		}
		p.Memo.MayBeNull(p.Source.Column.Nullable)
		if p.Book, err = releases.Reserve(ctx, releases.Announced{Repeat: &p.Options.Repeat, Output: p.Options.Output,
			InputSHA256: inputHash, Redesign: p.Options.Redesign}, p.Memo, p.Plan); err != nil {
			return err
		}
	}
	return nil
}

// unbook gives back what a failed release had reserved.
func (all parts) unbook(err *error) {
	for _, p := range all {
		p.Book.Close(err)
	}
}

// seal records that the release may be published from here on.
func (all parts) seal(ctx context.Context) error {
	for _, p := range all {
		if err := p.Book.Seal(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle records that everything is in place.
func (all parts) settle(ctx context.Context) error {
	for _, p := range all {
		if err := p.Book.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// each is an answer of every part.
func each[T any](all parts, of func(*part) T) (out []T) {
	for _, p := range all {
		out = append(out, of(p))
	}
	return out
}

// drawn is what is drawn and checked of all parts.
func (all parts) drawn() []*records.Part {
	return each(all, func(p *part) *records.Part { return &p.Part })
}

// plans are those of all parts, as they read with this file.
func (all parts) plans() []*plan.Plan { return each(all, (*part).reads) }

// groupers know the groups of records, one for every plan.
func (all parts) groupers() []*count.Grouper {
	return each(all, func(p *part) *count.Grouper { return count.NewGrouper(p.Plan) })
}

// groups are the numbers of groups of every plan, none where no plan has strata.
func (all parts) groups() (n []int) {
	strata := false
	for _, p := range all {
		n, strata = append(n, len(p.Plan.Groups)), strata || p.Plan.Given.Column != ""
	}
	if !strata {
		return nil
	}
	return n
}

// places are those of all parts.
func (all parts) places() (out []int) {
	for i := range all {
		out = append(out, i)
	}
	return out
}
