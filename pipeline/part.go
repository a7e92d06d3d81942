package pipeline

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A part is what a release does with one private column: what was decided for
// it, what became of it, and the files of its report.
type part struct {
	records.Part
	column
	asked *request.Decision
	d     *count.Domain

	beside   *report.Beside
	planText []byte         // the plan as it is written, where rows are drawn by its hash; else nil
	pin      *report.Pinned // nil without a plan of an earlier night

	reading *plan.Plan   // the plan under the counts of this file; nil where it was made from these, or for more
	share   *report.Part // of the plan's data, where the file is one; nil else

	replaced [2]*publish.File // order and file of the pinned plan, where a redesign replaces it
}

// follows reports whether nothing is decided: the plan is given.
func (p *part) follows() bool { return p.given != nil && p.state != replacedPlan }

// count finds the letters of the column and the groups of its records: those of the
// plan that is followed, or those that a plan is to be made for.
func (p *part) count(ctx context.Context) (err error) {
	letters := p.Options.Letters()
	if p.follows() { // the plan says which values are rare
		letters.Rare = request.Rare{}
	}
	if p.d, err = count.NewDomain(letters, p.Source.Counted()); err != nil {
		return err
	}
	if p.follows() {
		return p.countFor(ctx, p.given)
	}
	if p.asked, err = p.Options.Decision(); err != nil {
		return err
	}
	return p.d.Group(ctx, p.asked, p.Source)
}

// decide makes the plan, or follows the one that is given as long as that keeps
// to its epsilon under the counts of this file.
func (p *part) decide(ctx context.Context) (err error) {
	if p.follows() {
		if p.state != "" {
			p.pin = &report.Pinned{State: p.state, Plan: p.given.Origin()}
		}
		return p.follow()
	}
	if p.Plan, err = decide.Plan(ctx, p.asked, p.d); err != nil {
		return count.Lacking(ctx, p.d, p.Source, err)
	}
	if p.Options.Ledger != "" && p.Options.Warn != nil && p.Plan.Shares.Narrow() {
		p.Options.Warn(account.Roomless)
	}
	if p.Plan.Stated = stating(p.Plan, p.Options.Account("run"), p.d); p.given == nil {
		return nil
	}
	return p.redesigned(p.given)
}

// stating is what was declared for a plan.
func stating(p *plan.Plan, asked *request.Account, d *count.Domain) *plan.Stated {
	return account.Stated(p, asked, d.Listed, d.Named)
}

// redesigned tells the plan that was made tonight from the one it replaces,
// which may lack letters.
func (p *part) redesigned(old *plan.Plan) error {
	p.pin = &report.Pinned{State: replacedPlan, Plan: old.Hash}
	p.pin.Lacking = len(p.d.Lacking(old))
	if p.pin.Lacking > 0 || len(old.Groups) > 1 || p.d.Prior.Total() == 0 {
		return nil
	}
	tonight := *p.d
	tonight.CountFor(old)
	under, err := decide.Under(old, tonight.Given)
	if err != nil {
		return err
	}
	fill(p.pin, under)
	return nil
}

// fill says where a plan stands under the counts that it reads with: nowhere
// else where none move it, as its prior was declared.
func fill(to *report.Pinned, p *plan.Plan) {
	if to == nil || p.Empty() || p.Of == plan.Declared && p.PriorOnly && len(p.Groups) == 1 {
		return
	}
	e := edgeOf(p)
	to.Factor, to.Nats, to.Holds = e.factor.RatString(), mechanism.Nats(e.factor), e.holds
	to.Room, _ = e.room.Float64()
}

// book reserves the part of the release in the ledger. The input's hash is "" without one.
func (p *part) book(ctx context.Context, inputHash string) (err error) {
	if err = p.Memo.Follow(p.Plan); err != nil {
		return err
	}
	p.Memo.MayBeNull(p.Source.Column.Nullable)
	p.Book, err = releases.Reserve(ctx, releases.Announced{Repeat: &p.Options.Repeat, Output: p.Options.Output,
		InputSHA256: inputHash, Redesign: p.Options.Redesign}, p.Memo, p.Plan)
	return err
}

// command is how the report is made: a run that follows a plan is one that
// applies it.
func (p *part) command(asked string) string {
	if p.pin.Followed() {
		return "apply"
	}
	return asked
}

// facts are what the report of the part is told from, but for what is known of all parts.
func (p *part) facts(command string) *account.Facts {
	f := &account.Facts{Account: p.Options.Account(p.command(command)), Type: p.Source.Column.Type, Plan: p.Plan,
		Reads: p.reads(), Records: p.d.RecordsOf(p.Plan), Nulls: p.d.Nulls,
		Written: p.Tally.Written(p.reads()), Checks: p.Checks, Part: p.share}
	f.Columns, f.Beside, f.Pinned = p.Source.Fates(), *p.beside, p.pin
	if f.Stamp == "" { // a run under a test seed repeats byte for byte
		f.Made = time.Now().UTC().Format(time.DateOnly)
	}
	f.Draws, f.Persons = p.Memo.Tell(p.Tally.Recall)
	f.History = p.Book.Tell(p.Tally.Recall, f.Written.Rows-f.Written.Nulls)
	return f
}

// changes refuses a release that would publish the column as it is, up to the
// names of its values: every published value could come from one value only.
func (p *part) changes() error {
	if p.Options.AllowUnchanged {
		return nil
	}
	q := p.reads()
	if !decide.CertaintyOf(q).Unchanged {
		return nil
	}
	hint := "give a smaller epsilon or a lower floor, or publish the column as it is with --allow unchanged"
	if _, least := q.Records().Least(); len(q.Groups) == 1 && least > 0 {
		// Only the output that confirms the rarest letter has so large a factor.
		f := big.NewRat(q.Records().Total(), least)
		hint = fmt.Sprintf("give --max-factor below %s (epsilon below %s), or publish the column as it is with "+
			"--allow unchanged", report.FactorUp(f), report.Nats(f))
	}
	return fault.New(fault.Privacy, hint,
		"%s: column %q would be published unchanged or only renamed: every published value could come from one value only",
		p.Source.Path, q.Column)
}
