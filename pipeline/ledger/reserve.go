package ledger

import (
	"cmp"
	"context"
	"slices"
)

// A Rule decides whether a release may begin and what it claims. earlier are
// all releases of the same dataset and population that count, of every
// column, in the order of their reservations. Its error refuses the release
// and is returned as it is.
type Rule func(earlier []Entry) (Claim, error)

// Documents gives a document that is kept by its hash.
type Documents func(ctx context.Context, sha string) ([]byte, error)

// Changes that a release is meant to make to its series, each with its
// reason; an empty reason means that nothing shall change.
type Changes struct {
	Redesign string // to the design of the release
	Rotate   string // to the key of the release
}

// A Ticket says how a release may go on.
type Ticket struct {
	Entry
	// Again: the same input was released with the same plan and key before,
	// which this is again: nothing was reserved, and the output must have the
	// hash in Realised, where there is one. In the state reserved or sealed a
	// run that died left it, and this one takes over.
	Again bool
	// Base is the record history to look at and to continue, nil for an empty
	// one: the one before this release. Of a committed release that is gone;
	// it has the one in effect, where the entries first seen before Night are
	// those of then, and which it must not write.
	Base *Segment
}

// Reserve admits a release or refuses it. The rule is asked and its claim
// recorded in one step: no other process comes between. A release of the same
// input with the same plan and key as one that counts is that release again
// and is not asked for. Errors are the rule's or of type *Error.
func (l *Ledger) Reserve(ctx context.Context, r Release, c Changes, rule Rule) (Ticket, error) {
	if err := cmp.Or(r.check(), checkText(c.Redesign), checkText(c.Rotate)); err != nil {
		return Ticket{}, err
	}
	r.Documents = slices.Clone(r.Documents)
	for i := range r.Documents {
		r.Documents[i].SHA256 = hashOf(r.Documents[i].Data)
	}
	var t Ticket
	err := l.write(ctx, "reserving in", func(w writer) error {
		s := l.state
		if e := s.same(&r); e != nil {
			t = Ticket{Entry: *e, Again: true, Base: s.History(e.Series)}
			if e.State == IsSealed {
				t.Base = s.before(e.Series, e.Sealed)
			}
			return nil
		}
		if err := cmp.Or(w.checkClock(), s.pinned(&r, c)); err != nil {
			return err
		}
		claim, err := rule(s.those(func(e *Entry) bool {
			return e.Counts() && e.Dataset == r.Dataset && e.Population == r.Population
		}))
		if err != nil {
			return err
		}
		if err := claim.check(); err != nil {
			return err
		}
		if err := w.change(ctx, &r, c); err != nil {
			return err
		}
		for _, d := range r.Documents {
			if _, err := w.tx.ExecContext(ctx,
				"INSERT INTO document (sha256, data) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM document WHERE sha256 = ?1)",
				d.SHA256, d.Data); err != nil {
				return err
			}
		}
		if err := w.append(ctx, Event{Kind: "reserve", Reserve: &Reserved{r, claim}}); err != nil {
			return err
		}
		t = Ticket{Entry: s.Entries[len(s.Entries)-1], Base: s.History(r.Series)}
		return nil
	})
	return t, err
}

// same finds the release that r would be again. Fresh draws never are.
func (s *state) same(r *Release) *Entry {
	for i := range slices.Backward(s.Entries) {
		if e := &s.Entries[i]; e.Counts() && e.Series == r.Series && e.Is(r) {
			return e
		}
	}
	return nil
}

// Is reports whether e is r once more: of the same input, with the same plan and key.
func (e *Entry) Is(r *Release) bool {
	return r.KeyID != "" && e.InputSHA256 == r.InputSHA256 && e.PlanSHA256 == r.PlanSHA256 &&
		e.DesignSHA256 == r.DesignSHA256 && e.KeyID == r.KeyID && e.OverBudget == r.OverBudget &&
		(e.OnChange == r.OnChange || e.OnChange == "publish" && r.OnChange == "draw") // as an earlier version named it
}

// pinned refuses a key or a design that changes unsaid.
func (s *state) pinned(r *Release, c Changes) error {
	design, key := s.Drawn(r.Series)
	if key != "" && r.KeyID != "" && key != r.KeyID && c.Rotate == "" {
		return refuse(Key, "give the file of that key with --key-file; to change keys use tacet key rotate, because a "+
			"new key draws every record anew",
			"dataset %q is drawn with key %s, and this run has key %s", r.Dataset, key, r.KeyID)
	}
	if design != "" && design != r.DesignSHA256 && c.Redesign == "" {
		return refuse(Design, "use the plan of the first release, or give --redesign, which the ledger counts",
			"dataset %q uses design %.12s, and this run has design %.12s", r.Dataset, design, r.DesignSHA256)
	}
	return nil
}

// change records the redesign and the rotation that the release makes.
func (w writer) change(ctx context.Context, r *Release, c Changes) error {
	for _, n := range w.l.state.needed(r) {
		e := Event{Kind: "redesign", Redesign: n}
		n.Reason = c.Redesign
		if n.To != r.DesignSHA256 {
			e = Event{Kind: "rotate", Rotate: n}
			n.Reason = c.Rotate
		}
		if err := w.append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// Seal records what a release came to. It must be called when everything is
// drawn, checked and durable under temporary names, and before any of it is
// in place. A release that was sealed before must have had the same output.
func (l *Ledger) Seal(ctx context.Context, id int64, r Realised) error {
	if err := r.check(); err != nil {
		return err
	}
	return l.write(ctx, "sealing in", func(w writer) error {
		e, err := l.state.Entry(id)
		switch {
		case err != nil:
			return err
		case e.State == IsVoided:
			return wrongState(e, "sealed")
		case e.Realised != nil && e.Realised.OutputSHA256 != r.OutputSHA256:
			return refuse(Output, "nothing was published; publish the same columns with the same version as then, or make "+
				"a new plan",
				"release %d has the same input, plan and key, but its output had other bytes", id)
		case e.Realised != nil:
			return nil
		}
		if h := r.History; h != nil && h.Base != hashOfSegment(l.state.History(e.Series)) {
			return refuse(State, "run again", "the record history went on since release %d was reserved", id)
		}
		return w.append(ctx, Event{Kind: "seal", Release: id, Seal: &r})
	})
}

// Commit records that the files of a sealed release are in place. Committing
// twice does nothing.
func (l *Ledger) Commit(ctx context.Context, id int64) error {
	// What was published was published: an interrupt comes too late.
	return l.write(context.WithoutCancel(ctx), "committing in", func(w writer) error {
		switch e, err := l.state.Entry(id); {
		case err != nil:
			return err
		case e.State == IsCommitted:
			return nil
		case e.State != IsSealed:
			return wrongState(e, "committed")
		}
		return w.append(ctx, Event{Kind: "commit", Release: id})
	})
}

// Void takes a release out of the count, for the reason given. A sealed one
// may have been published: unpublished says that somebody made sure that it
// was not. A committed one stays.
func (l *Ledger) Void(ctx context.Context, id int64, reason string, unpublished bool) error {
	if reason == "" {
		return refuse(Malformed, "give the reason with --reason: why it was never published",
			"voiding a release needs a reason")
	}
	if err := checkText(reason); err != nil {
		return err
	}
	return l.write(ctx, "voiding in", func(w writer) error {
		e, err := l.state.Entry(id)
		switch {
		case err != nil:
			return err
		case e.State == IsSealed && !unpublished:
			return refuse(State, "make sure that no copy of its output was published, then give --never-published",
				"release %d is sealed: its output may have been published", id)
		case e.State == IsSealed && !l.state.voidable(e):
			return refuse(State, "it counts as published", "release %d is sealed, and a later release of its series builds "+
				"on it",
				id)
		case !l.state.voidable(e):
			return wrongState(e, "voided")
		}
		return w.append(ctx, Event{Kind: "void", Release: id, Reason: reason})
	})
}

func wrongState(e *Entry, wanted string) error {
	return refuse(State, "tacet ledger show tells when this happened", "release %d is %s and cannot be %s", e.ID, e.State,
		wanted)
}
