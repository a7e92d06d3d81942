package pipeline

import (
	"context"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// book reserves every part of the release in the ledger.
func (r *release) book(ctx context.Context, inputHash string) (err error) {
	for _, p := range r.parts {
		if err = p.memo.follow(p.p); err != nil {
			return err
		}
		if p.book, err = book(ctx, p.o, p.memo, p.p, inputHash); err != nil {
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
		p.book.close(err)
	}
}

// seal records that the release may be published from here on.
func (r *release) seal(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.book.seal(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle records that everything is in place.
func (r *release) settle(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.book.commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hands are the memoised drawers of the units of a part.
type hands struct {
	m     *memo
	noted *noted
	unit  []*hand
}

func (p *part) hands(units int) *hands {
	h := &hands{m: p.memo, noted: &noted{}, unit: make([]*hand, units)}
	if p.book != nil {
		h.noted = &p.book.noted
	}
	return h
}

func (h *hands) draw(b *colfile.Batch) error {
	if h.m.keyed == nil { // a plan without letters
		return nil
	}
	u := b.Unit.Group
	if h.unit[u] == nil {
		h.unit[u] = h.m.hand()
	}
	return h.unit[u].draw(b, h.noted)
}

// remember puts into the report how records were recognised, and what all
// releases told together.
func (p *part) remember(r *report.Report) {
	if m := p.memo; m != nil {
		r.Draws = report.Draws{Kind: "memoised", KeyID: m.key.ID(), Unit: string(m.unit),
			Generator: "AES-128-CMAC of id and letter under a key derived for this design and column; integers by rejection, so that every draw has exactly the law of the plan",
			Key:       "the draw key " + m.key.ID() + ", in a file: whoever has it and the plan can undo the draws"}
		if m.unit == draw.Person && p.tally.recall != nil {
			t := p.tally.recall.told
			r.Persons = &report.Persons{Persons: t.Persons, Several: t.Several, Mixed: t.Mixed, Most: t.Rows, Factor: t.Factor.RatString(), Nats: mechanism.Nats(t.Factor), Bound: t.Bound}
			r.Prior.Person = fmt.Sprintf("at most %d: %d persons in %d rows", t.Rows, t.Persons, r.Records)
		}
	}
	b := p.book
	if b == nil {
		return
	}
	e, c := b.ticket, b.realised
	s := &report.Series{Ledger: b.l.ID(), Head: b.head, Dataset: e.Dataset, Population: e.Population, Release: e.ID, Night: e.Night, Again: e.Again,
		Budget: e.Budget, OnChange: e.OnChange, OverBudget: e.OverBudget, Reserved: figureOf(e.Claim), Cumulative: figureOf(c.Cumulative), Limits: limitsOf(b)}
	if b.m != nil {
		s.Names = b.m.key.HistoryID()
		k := &report.Kept{Records: c.New, New: c.New, Vanished: c.Vanished, Held: c.Held, Limited: c.Limited, Visible: c.Changed}
		if h := c.History; h != nil {
			k.Records = h.Records
		}
		if !b.m.quiet {
			k.Changed, k.Suppressed = b.noted.changed.Load(), b.noted.suppressed.Load()
			k.Spread = []report.Spread{}
			for _, share := range []float64{.5, .9, .99, 1} {
				k.Spread = append(k.Spread, report.Spread{Share: share, Nats: b.tally.AtMost(share)})
			}
		}
		s.Kept = k
	}
	for _, o := range b.before {
		if o.Counts() && o.ID != e.ID && o.Realised != nil {
			s.Earlier = append(s.Earlier, report.Earlier{Release: o.ID, Night: o.Night, When: o.ReservedAt, Design: o.DesignSHA256, Key: o.KeyID, Rows: o.Realised.Rows,
				Factor: o.Factor, Cumulative: figureOf(o.Realised.Cumulative)})
		}
	}
	r.History = report.History{State: "ledger", Series: s}
	r.Warnings = append(r.Warnings, b.mourn()...)
}

// limitsOf says what no figure of the series covers.
func limitsOf(b *booking) []string {
	out := []string{"a redesign, a stop and the choice of the plan depend on the counts and are outside epsilon",
		"other columns of the same records have accounts of their own, and no sum of them is a bound"}
	if b.m == nil {
		return out
	}
	out = append(out, "records that changed visibly have no cumulative figure: no epsilon bounds what the change tells, nor when it was")
	if b.m.unit == draw.Person {
		out = append(out, "the figures are of single records: rows of one person over several designs are not covered together")
	}
	return out
}

func figureOf(c ledger.Claim) report.Figure {
	f := report.Figure{Factor: c.Factor, Label: c.Label, Rule: c.Rule}
	if v, ok := new(big.Rat).SetString(c.Factor); ok {
		f.Nats = mechanism.Nats(v)
	}
	return f
}
