package releases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Booking is a release in a ledger: reserved before the first byte is drawn,
// sealed before any file is in place, committed after the last. A nil one
// stands for a run without a ledger.
type Booking struct {
	o      *request.Repeat
	output string // path of the file that is released
	l      *ledger.Ledger
	of     ledger.Series
	unlock func()
	m      *Memo
	p      *plan.Plan

	look     *ledger.Reading // before this release was reserved
	before   []ledger.Entry  // its releases of the series
	past     *ledger.History // that the reservation was made from
	ticket   ledger.Ticket
	head     string           // of the ledger once the release was reserved
	reserved bool             // by this run, and not sealed yet
	reached  composition.Peak // of the history with this release
	realised ledger.Realised
}

// Announced is what a ledger is told of a release before it is made.
type Announced struct {
	*request.Repeat
	Output      string // path of the file
	InputSHA256 string
	Redesign    bool // another plan takes the place of the one before
}

// Reserve opens the ledger and reserves the release in it, or refuses it.
func Reserve(ctx context.Context, a Announced, m *Memo, p *plan.Plan) (b *Booking, err error) {
	o := a.Repeat
	if o.Ledger == "" {
		return nil, nil
	}
	if p.Empty() {
		return nil, fault.New(fault.Input, "release a file with records",
			"the file has no records to protect, so there is nothing to enter in the ledger")
	}
	b = &Booking{o: o, output: a.Output, m: m, p: p,
		of: ledger.Series{Dataset: o.Dataset, Column: p.Column, Population: o.Population}}
	defer b.Close(&err)
	if b.l, err = ledger.Open(ctx, o.Ledger, ledger.Options{Create: true}); err != nil {
		return nil, err
	}
	if b.unlock, err = b.l.Lock(b.of); err != nil {
		return nil, err
	}
	if err := b.repair(ctx); err != nil {
		return nil, err
	}
	defer b.blame(&err)
	r, err := b.release(a.InputSHA256)
	if err != nil {
		return nil, err
	}
	c := ledger.Changes{}
	if a.Redesign {
		c.Redesign = "--redesign"
	}
	if m != nil {
		err = b.recall(ctx, &r, &c)
	}
	if err != nil {
		return nil, err
	}
	b.ticket, err = b.l.Reserve(ctx, r, c, func(earlier []ledger.Entry) (ledger.Claim, error) {
		if m != nil {
			return undrawn, b.admitKeyed(earlier)
		}
		return b.admitFresh(earlier)
	})
	if err != nil {
		return nil, err
	}
	b.reserved = !b.ticket.Again || b.ticket.State == ledger.IsReserved
	now, err := b.l.Look(ctx)
	if err != nil {
		return nil, err
	}
	b.head = now.Head()
	if m == nil {
		return b, nil
	}
	return b, b.begin(ctx)
}

// release is what will be published, as the ledger writes it down.
func (b *Booking) release(inputHash string) (r ledger.Release, err error) {
	data, err := b.p.Encode()
	if err != nil {
		return r, err
	}
	r = ledger.Release{Series: b.of, PlanSHA256: b.p.Hash, DesignSHA256: b.p.DesignHash, InputSHA256: inputHash,
		Factor: b.p.Factor().RatString(),
		Budget: b.o.TotalEpsilon, OnChange: b.o.Handling(),
		Documents: []ledger.Document{{Name: plan.File, Data: data}, {Name: plan.OrderFile, Data: b.p.OrderCSV}}}
	if w := b.p.Weights(); w != nil {
		r.Documents = append(r.Documents, ledger.Document{Name: plan.WeightsFile, Data: w})
	}
	if b.m != nil {
		r.KeyID = b.m.key.ID()
	}
	return r, nil
}

// repair commits what a killed run had put in place, and looks at what came before.
func (b *Booking) repair(ctx context.Context) error {
	r, err := b.l.Look(ctx)
	if err != nil {
		return err
	}
	for _, e := range r.Of(b.of) {
		if e.State != ledger.IsSealed {
			continue
		}
		f, err := os.Open(b.output)
		if err != nil {
			continue
		}
		sum, err := publish.SumOf(ctx, f)
		f.Close()
		if err != nil {
			return err
		}
		if sum == e.Realised.OutputSHA256 {
			if err := b.l.Commit(ctx, e.ID); err != nil {
				return err
			}
		}
	}
	if b.look, err = b.l.Look(ctx); err == nil {
		b.before = b.look.Of(b.of)
	}
	return err
}

// Close ends a run: what it reserved and did not seal was not published, and
// is taken out of the count.
func (b *Booking) Close(err *error) {
	if b == nil || b.l == nil || *err == nil {
		return
	}
	if b.reserved {
		b.reserved = false
		if void := b.l.Void(context.Background(), b.ticket.ID, "the run failed before anything was published",
			false); void != nil {
			*err = b.reservedStill(*err, void)
		}
	}
	b.free()
}

func (b *Booking) free() {
	if b.unlock != nil {
		b.unlock()
		b.unlock = nil
	}
	b.l.Close()
	b.l = nil
}

// dead lists what runs that died before they published anything had reserved.
// The lock of the series is held, so that none of them goes on. They count
// until somebody voids them.
func (b *Booking) dead() (ids []int64) {
	for _, e := range b.before {
		if e.State == ledger.IsReserved && e.ID != b.ticket.ID {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// voiding is the command that takes a release out of the count.
func (b *Booking) voiding(id int64) string {
	return fmt.Sprintf("tacet ledger void --ledger %s --id %d --reason 'the run died'", b.o.Ledger, id)
}

// reservedStill adds to what failed that the ledger could not even take back
// what the run had reserved.
func (b *Booking) reservedStill(err, void error) error {
	f := *fault.As(err)
	f.What = fmt.Sprintf("%s; and release %d still counts in the ledger, because it could not be voided there: %s",
		f.What, b.ticket.ID, fault.As(void).What)
	f.Hint = strings.TrimPrefix(f.Hint+"; then void the release: "+b.voiding(b.ticket.ID), "; then ")
	if b.m != nil {
		f.Hint += ", or repeat the same run, which continues the release"
	}
	f.Err = err
	return &f
}

// blame adds to a refusal that what died before may have caused what to run.
func (b *Booking) blame(err *error) {
	ids := b.dead()
	var refused *ledger.Error
	if *err == nil || len(ids) == 0 {
		return
	}
	f := *fault.As(*err)
	if f.Class != fault.Privacy && !(errors.As(*err, &refused) && (refused.Kind == ledger.Key ||
		refused.Kind == ledger.Design)) {
		return
	}
	var commands []string
	for _, id := range ids {
		commands = append(commands, b.voiding(id))
	}
	f.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %s that died still count in the ledger until they are voided: %s", f.Hint,
		report.Several(int64(len(ids)), "run", "runs"), strings.Join(commands, "; ")), "; ")
	f.Err = *err
	*err = &f
}
