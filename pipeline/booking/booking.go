// Package booking makes releases that remember: draws by the ids of records,
// what they were before, and their place in a ledger.
package booking

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/mechanism/series"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/ledger/history"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// outputsKept is how many outputs a history keeps per record and channel: the
// first, which is held, and the latest; two tell that the record changed.
const outputsKept = 2

// A Booking is a release in a ledger: reserved before the first byte is drawn,
// sealed before any file is in place, committed after the last. A nil one
// stands for a run without a ledger.
type Booking struct {
	o      *options.Options
	l      *ledger.Ledger
	of     ledger.Series
	unlock func()
	m      *Memo
	p      *plan.Plan

	before   []ledger.Entry   // releases of the series
	past     *history.History // that the reservation was made from
	pastOf   *ledger.Segment  // its file; nil where there is none
	ticket   ledger.Ticket
	head     string // of the ledger once the release was reserved
	reserved bool   // by this run, and not sealed yet
	noted    noted
	tally    series.Tally
	realised ledger.Realised
}

// Reserve opens the ledger and reserves the release in it, or refuses it.
func Reserve(ctx context.Context, o *options.Options, m *Memo, p *plan.Plan, inputHash string) (b *Booking, err error) {
	if o.Ledger == "" {
		return nil, nil
	}
	if p.Empty() {
		return nil, fault.New(fault.Input, "release a file with records", "a file without a record under the promise does not belong into a ledger")
	}
	b = &Booking{o: o, m: m, p: p, of: ledger.Series{Dataset: o.Dataset, Column: p.Column, Population: o.Population}}
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
	r, err := b.release(inputHash)
	if err != nil {
		return nil, err
	}
	c := redesigning(b.o)
	claim := ledger.Claim{}
	if m != nil {
		err = b.recall(ctx, &r, &c, &claim)
	}
	if err != nil {
		return nil, err
	}
	b.ticket, err = b.l.Reserve(ctx, r, c, func(earlier []ledger.Entry) (ledger.Claim, error) {
		if m != nil {
			return claim, b.admitKeyed(earlier)
		}
		return b.admitFresh(ctx, earlier)
	})
	if err != nil {
		return nil, err
	}
	b.reserved = !b.ticket.Again || b.ticket.State == ledger.IsReserved
	if _, b.head, err = b.l.Head(ctx); err != nil {
		return nil, err
	}
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
	r = ledger.Release{Series: b.of, PlanSHA256: b.p.Hash, DesignSHA256: b.p.DesignHash, InputSHA256: inputHash, Factor: b.p.Factor().RatString(),
		Budget: b.o.TotalEpsilon, OnChange: b.o.Handling(), OverBudget: b.o.OverBudget,
		Documents: []ledger.Document{{Name: plan.File, Data: data}, {Name: plan.OrderFile, Data: b.p.OrderCSV}}}
	if b.m != nil {
		r.KeyID = b.m.key.ID()
	}
	return r, nil
}

// repair commits what a killed run had put in place.
func (b *Booking) repair(ctx context.Context) error {
	st, err := b.l.Status(ctx, b.of)
	if err != nil {
		return err
	}
	for _, e := range st.Unfinished {
		if e.State != ledger.IsSealed {
			continue
		}
		f, err := os.Open(b.o.Output)
		if err != nil {
			continue
		}
		sum, err := documents.SumOf(ctx, f)
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
	all, err := b.l.List(ctx)
	for _, e := range all {
		if e.Series == b.of {
			b.before = append(b.before, e)
		}
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
		if void := b.l.Void(context.Background(), b.ticket.ID, "the run failed before anything was published", false); void != nil {
			*err = fmt.Errorf("%w; and %v", *err, void)
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

// Write puts tonight into the record history and says what it came to. The
// history is not in effect until Seal.
func (b *Booking) Write(ctx context.Context, outputHash string, rows int64) error {
	if b == nil {
		return nil
	}
	if b.o.OnChange == "refuse" && b.noted.visible.Load() > 0 {
		return fault.New(fault.Privacy, "choose --on-change publish or hold, or release without these records",
			"%s would be published with another output than before, and --on-change is refuse", figure.Several(b.noted.visible.Load(), "record", "records"))
	}
	if b.ticket.Again && b.ticket.State == ledger.IsCommitted {
		b.realised = *b.ticket.Realised
		b.realised.OutputSHA256 = outputHash
		return nil
	}
	b.realised = ledger.Realised{OutputSHA256: outputHash, Rows: rows, Factor: b.p.Factor().RatString(), Cumulative: b.ticket.Claim,
		Held: b.noted.held.Load(), Limited: b.noted.limited.Load()}
	if b.m == nil {
		return nil
	}
	file := fmt.Sprintf("%06d%s", b.ticket.ID, history.Suffix)
	counted, err := b.m.past.Write(filepath.Join(b.l.Folder(b.of), file), func(_ *history.Record, list []history.Entry) error {
		st, err := b.m.night.Book.State(list)
		if err == nil {
			b.tally.Add(st, 1)
		}
		return err
	})
	if err != nil {
		return err
	}
	b.realised.Changed, b.realised.New, b.realised.Vanished = b.tally.Visible, counted.New, counted.Vanished
	b.realised.History = &ledger.Segment{File: file, SHA256: counted.SHA256, Base: counted.Base, Records: counted.Records, Entries: counted.Entries}
	b.realised.Cumulative = ledger.Claim{Label: "none", Rule: "every record changed visibly"}
	if f := b.tally.Largest(); f != nil {
		b.realised.Cumulative = ledger.Claim{Factor: f.RatString(), Label: "exact", Rule: exactRule}
	}
	return nil
}

// exactRule names how the figure of releases with record ids is known.
const exactRule = "one draw for each design and key; the largest over records without a visible change"

// Seal records what the release came to. From here on it counts as published.
func (b *Booking) Seal(ctx context.Context) error {
	if b == nil {
		return nil
	}
	if err := b.l.Seal(ctx, b.ticket.ID, b.realised); err != nil {
		return err
	}
	b.reserved = false
	return nil
}

// Commit records that the files are in place, and removes histories that are
// no longer needed.
func (b *Booking) Commit(ctx context.Context) error {
	if b == nil {
		return nil
	}
	defer b.free()
	err := b.l.Commit(ctx, b.ticket.ID)
	if err == nil {
		var keep []string
		if keep, err = b.l.Keep(context.WithoutCancel(ctx), b.of); err == nil {
			err = history.Sweep(b.l.Folder(b.of), keep)
		}
	}
	if err != nil {
		return &fault.Fault{Class: fault.Published, What: "the release was published, but " + fault.As(err).What, Hint: "do not publish it again: the next run completes what is missing", Err: err}
	}
	return nil
}

// redesigning is what the ledger is told of a redesign.
func redesigning(o *options.Options) (c ledger.Changes) {
	if o.Redesign {
		c.Redesign = "--redesign"
	}
	return c
}
