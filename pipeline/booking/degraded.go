package booking

import (
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/mechanism/series"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger/history"
	"github.com/tacet-privacy/tacet/pipeline/night"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// degrading says which records show tonight what comes from their published
// outputs: with --degrade all that were published by the design before, and in
// any case those that were begun so under tonight's design and key.
func (b *Booking) degrading(h *history.History, plans map[string]*plan.Plan) (*night.Degrading, error) {
	mine := history.Channel{Design: b.p.DesignHash, Key: b.m.key.ID(), Kind: string(night.Derived)}
	begun := slices.Contains(h.Channels(), mine)
	from, err := b.degradeFrom(plans)
	if err != nil || from == nil && !begun {
		return nil, err
	}
	d := &night.Degrading{}
	if from != nil {
		d.From = from.DesignHash
	}
	d.Channel, err = h.Channel(mine)
	return d, err
}

// degradeFrom finds W from the outputs of the design before to tonight's, nil
// where nothing is degraded.
func (b *Booking) degradeFrom(plans map[string]*plan.Plan) (*plan.Plan, error) {
	old := ""
	for _, e := range b.before {
		if e.Counts() && e.KeyID != "" && (b.ticket.ID == 0 || e.ID < b.ticket.ID) && e.DesignSHA256 != b.p.DesignHash {
			old = e.DesignSHA256
		}
	}
	if !b.o.Degrade || old == "" {
		return nil, nil
	}
	from := plans[old]
	if !slices.Equal(from.InputLabels(), b.p.InputLabels()) {
		return nil, fault.New(fault.Privacy, "redesign without --degrade, which is a new draw of every record", "the new plan has other letters than the one before, and cannot be drawn from its outputs")
	}
	w, err := series.Degrade(from.Mechanism, b.p.Mechanism)
	if errors.Is(err, series.ErrNotDegraded) {
		return nil, fault.New(fault.Privacy, "redesign without --degrade, which is a new draw of every record; or choose a worse floor", "%v, so that nothing can be drawn from what was published", series.ErrNotDegraded)
	}
	if err != nil {
		return nil, &fault.Fault{Class: fault.Privacy, What: err.Error(), Hint: "redesign without --degrade, which is a new draw of every record", Err: err}
	}
	design := sha256.Sum256([]byte("tacet/v1 degraded design\n" + from.DesignHash + "\n" + b.p.DesignHash))
	b.m.degrade = draw.NewKeyed(draw.KeyOf([32]byte(b.m.key.Secret())), draw.Binding{Unit: draw.Record, Design: design, Column: b.m.column}, w.Channel)
	return from, nil
}
