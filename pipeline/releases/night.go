package releases

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"

	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// recall reads the record history, and settles by which channel tonight is drawn.
func (b *Booking) recall(ctx context.Context, r *ledger.Release, c *ledger.Changes) error {
	h, err := b.open(b.look.History(b.of))
	_, key := b.look.Drawn(b.of)
	switch id := b.m.key.ID(); {
	case err != nil && key != "" && key != id:
		return fault.New(fault.Input, "give the file of that key with --key-file",
			"dataset %q is drawn with key %s, and this run has key %s",
			b.of.Dataset, key, id)
	case err != nil:
		return err
	case key != "" && key != id:
		// Its history key is the one before's: tacet key rotate has made it.
		c.Rotate = "the key file was rotated"
	}
	if slices.ContainsFunc(b.before, func(e ledger.Entry) bool { return e.Counts() && e.Is(r) }) {
		return nil // it is made again, and nothing will be reserved
	}
	b.past = h
	b.m.night, err = b.night(ctx, h, len(b.before)+1)
	return err
}

// begin starts the night that was reserved.
func (b *Booking) begin(ctx context.Context) (err error) {
	h := b.past // the lock of the series is held since it was read
	if h == nil {
		if h, err = b.open(b.ticket.Base); err != nil {
			return err
		}
		if b.m.night, err = b.night(ctx, h, b.ticket.Night); err != nil {
			return err
		}
	}
	b.m.quiet = b.ticket.Again && b.ticket.State == ledger.IsCommitted
	if !b.m.quiet && h.Night() >= b.ticket.Night {
		return fault.New(fault.Usage, "cancel it: "+b.voiding(b.ticket.ID)+"; then run again",
			"a run of the same input died after it reserved release %d, and later releases followed", b.ticket.ID)
	}
	b.m.past = h
	if b.m.quiet {
		return nil
	}
	return h.Begin(b.ticket.Night)
}

// open reads the record history that a segment names, an empty one for nil.
func (b *Booking) open(s *ledger.Segment) (*ledger.History, error) {
	about := ledger.About{Ledger: b.l.ID(), Dataset: b.of.Dataset, Column: b.of.Column, Population: b.of.Population,
		Names: b.m.key.HistoryID()}
	if s == nil {
		return ledger.New(about)
	}
	return ledger.OpenHistory(filepath.Join(b.l.Folder(b.of), s.File), s.SHA256, about)
}

// night prepares the accounts of night n.
func (b *Booking) night(ctx context.Context, h *ledger.History, n int) (*Night, error) {
	mine := ledger.Channel{Design: b.p.DesignHash, Key: b.m.key.ID(), Kind: Kind(b.o.TotalEpsilon)}
	for _, c := range h.Channels() {
		if _, err := totalOf(c.Kind); err != nil {
			return nil, err
		}
		if c.Design == mine.Design && c.Key == mine.Key && c.Kind != mine.Kind {
			return nil, fault.New(fault.Usage,
				"give --total-epsilon as in the first release of this design and key, or replace the key",
				"--total-epsilon cannot change within one design and key, which began with %q", c.Kind)
		}
	}
	number, err := h.Channel(mine)
	if err != nil {
		return nil, err
	}
	channels, plans, err := (&Past{b.before, b.look.Document, b.p}).Plans(ctx, h, n)
	if err != nil {
		return nil, err
	}
	own := &Night{Number: n, Own: number, Hold: b.o.OnChange == "hold"}
	own.learn(channels, plans)
	return own, nil
}

// A Past is what a ledger has of a series before a release by a plan.
type Past struct {
	Before   []ledger.Entry // releases of the series
	Document ledger.Documents
	Plan     *plan.Plan
}

// Plans are the channels of a record history, and the plans of the nights up to n by their
// numbers, nil where none began a record.
func (p *Past) Plans(ctx context.Context, h *ledger.History, n int) (channels []Channel, plans []*plan.Plan,
	err error) {
	plans = make([]*plan.Plan, n+1)
	known, byDesign := map[string]*plan.Plan{p.Plan.Hash: p.Plan}, map[string]*plan.Plan{p.Plan.DesignHash: p.Plan}
	for _, e := range p.Before {
		if !e.Counts() || e.KeyID == "" || e.Night >= n {
			continue
		}
		if known[e.PlanSHA256] == nil {
			if known[e.PlanSHA256], err = planOf(ctx, e, p.Document); err != nil {
				return nil, nil, err
			}
		}
		plans[e.Night] = known[e.PlanSHA256]
		if byDesign[e.DesignSHA256] == nil {
			byDesign[e.DesignSHA256] = plans[e.Night]
		}
	}
	plans[n] = p.Plan
	for _, c := range h.Channels() {
		of := byDesign[c.Design]
		if of == nil {
			return nil, nil, fault.New(fault.Privacy, "restore the ledger from a copy",
				"the record history names a design that the ledger lacks")
		}
		total, err := totalOf(c.Kind)
		if err != nil {
			return nil, nil, err
		}
		channels = append(channels, Channel{Plan: of, Total: total})
	}
	return channels, plans, nil
}
