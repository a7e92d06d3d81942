package releases

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Tell puts into the report how records were recognised. The persons are those
// that were counted.
func (m *Memo) Tell(r *report.Report, again *Recall) {
	if m == nil {
		return
	}
	r.Draws = report.Draws{Kind: "memoised", KeyID: m.key.ID(), Unit: string(m.unit),
		Generator: "AES-128-CMAC of id and letter under a key derived for this design and column; integers by rejection, " +
			"so that every draw has exactly the law of the plan",
		Key: "the draw key " + m.key.ID() + ", in a file: whoever has it and the plan can undo the draws"}
	if m.unit == draw.Person && again != nil {
		t := again.told
		r.Persons = &report.Persons{Persons: t.Persons, Several: t.Several, Mixed: t.Mixed, Most: t.Rows,
			Factor: t.Factor.RatString(), Nats: new(mechanism.Nats(t.Factor)), Bound: &t.Bound}
		r.Prior.Person = fmt.Sprintf("at most %d: %d persons in %d rows", t.Rows, t.Persons, r.Records)
	}
}

// Tell puts into the report what all releases told together, and by which draws
// this release's rows were published.
func (b *Booking) Tell(r *report.Report, again *Recall) {
	if b == nil {
		return
	}
	e, c := b.ticket, b.realised
	s := &report.Series{Ledger: b.l.ID(), Head: b.head, Dataset: e.Dataset, Population: e.Population, Release: e.ID,
		Night: e.Night, Again: e.Again,
		Budget: e.Budget, OnChange: e.OnChange, Reserved: figureOf(e.Claim),
		Cumulative: figureOf(c.Cumulative), Limits: limitsOf(b)}
	if b.m != nil {
		s.Names = b.m.key.HistoryID()
		k := &report.Kept{Records: c.New, New: c.New, Vanished: c.Vanished, Visible: c.Changed}
		if h := c.History; h != nil {
			k.Records = h.Records
		}
		if !b.m.quiet {
			k.Changed = b.noted.changed.Load()
			k.Spread = []report.Spread{}
			for _, share := range []float64{.5, .9, .99, 1} {
				k.Spread = append(k.Spread, report.Spread{Share: share, Nats: b.tally.AtMost(share)})
			}
		}
		s.Kept, s.Published = k, again.published(r.Records)
	}
	for _, o := range b.before {
		if o.Counts() && o.ID != e.ID && o.Realised != nil {
			s.Earlier = append(s.Earlier, report.Earlier{Release: o.ID, Night: o.Night, When: o.ReservedAt,
				Design: o.DesignSHA256, Key: o.KeyID, Rows: o.Realised.Rows,
				Factor: o.Factor, Cumulative: figureOf(o.Realised.Cumulative)})
		}
	}
	r.History = report.History{State: "ledger", Series: s}
	r.Warnings = append(r.Warnings, b.mourn()...)
}

// limitsOf says what no figure of the series covers.
func limitsOf(b *Booking) []string {
	out := []string{"a redesign, a stop and the choice of the plan depend on the counts and are outside epsilon",
		"other columns of the same records have accounts of their own, and no sum of them is a bound"}
	if b.m == nil {
		return out
	}
	out = append(out, "records that changed visibly have no cumulative figure: no epsilon bounds what the change tells, "+
		"nor when it was")
	if b.m.unit == draw.Person {
		out = append(out, "the figures are of single records: rows of one person over several designs are not covered "+
			"together")
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
