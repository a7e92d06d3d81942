package releases

import (
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Tell is how records were recognised, and what rows of one person tell who were counted;
// nil where draws are fresh.
func (m *Memo) Tell(again *Recall) (draws report.Draws, _ *report.Persons) {
	if m == nil {
		return draws, nil
	}
	draws = report.Draws{Kind: "memoised", KeyID: m.key.ID(), Unit: string(m.unit)}
	return draws, again.told
}

// Tell is what all releases told together, by which draws the records of this release were
// published, and which runs died; nothing without a ledger.
func (b *Booking) Tell(again *Recall, records int64) (h report.History) {
	if b == nil {
		return h
	}
	e := b.ticket
	s := SeriesOf(b.l.ID(), &e.Entry, &b.realised)
	s.Head, s.Again, s.Limits = b.head, e.Again, LimitsOf("")
	if b.m != nil {
		s.Limits = LimitsOf(string(b.m.unit))
		s.Names, s.Published = b.m.key.HistoryID(), again.published(records)
	}
	for i := range b.before {
		if o := &b.before[i]; o.Counts() && o.ID != e.ID && o.Realised != nil {
			s.Earlier = append(s.Earlier, EarlierOf(o))
		}
	}
	h.Series = s
	for _, id := range b.dead() {
		h.Died = append(h.Died, report.Dead{Release: id, Voiding: b.voiding(id)})
	}
	return h
}

// SeriesOf tells what a ledger has of a release and of what it came to.
func SeriesOf(id string, e *ledger.Entry, c *ledger.Realised) *report.Series {
	s := &report.Series{Ledger: id, Dataset: e.Dataset, Population: e.Population, Release: e.ID, Night: e.Night,
		Budget: e.Budget, OnChange: e.OnChange, Cumulative: figureOf(c.Cumulative)}
	if e.KeyID != "" {
		s.Kept = &report.Kept{Records: c.New, New: c.New, Vanished: c.Vanished, Visible: c.Changed}
		if h := c.History; h != nil {
			s.Kept.Records = h.Records
		}
	}
	return s
}

// EarlierOf tells what a ledger has of a release that came before.
func EarlierOf(e *ledger.Entry) report.Earlier {
	return report.Earlier{Release: e.ID, Night: e.Night, When: e.ReservedAt, Design: e.DesignSHA256, Key: e.KeyID,
		Rows: e.Realised.Rows, Factor: e.Factor, Cumulative: figureOf(e.Realised.Cumulative)}
}

// LimitsOf says what no figure of a series covers, whose ids are of a "record" or a "person", or
// which has none.
func LimitsOf(unit string) []string {
	out := []string{"a redesign, a stop and the choice of the plan depend on the counts and are outside epsilon",
		"other columns of the same records have accounts of their own, and no sum of them is a bound"}
	if unit == "" {
		return out
	}
	out = append(out, "records that changed visibly have no cumulative figure: no epsilon bounds what the change tells, "+
		"nor when it was")
	if unit == string(draw.Person) {
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
