package ledger

import "context"

// Seal records what a release came to. It must be called when everything is
// drawn, checked and durable under temporary names, and before any of it is
// in place. A release that was sealed before must have had the same output.
func (l *Ledger) Seal(ctx context.Context, id int64, r Realised) error {
	if err := r.check(); err != nil {
		return err
	}
	return l.write(ctx, "sealing in", func(w writer) error {
		e, err := w.entry(id)
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
		if h := r.History; h != nil && h.Base != hashOfSegment(l.state.history(e.Series)) {
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
		switch e, err := w.entry(id); {
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
		e, err := w.entry(id)
		switch {
		case err != nil:
			return err
		case e.State == IsSealed && !unpublished:
			return refuse(State, "make sure that no copy of its output was published, then give --never-published",
				"release %d is sealed: its output may have been published", id)
		case e.State == IsSealed && !l.state.voidable(e):
			return refuse(State, "the release stays: it counts as published",
				"release %d is sealed, and a later release of its series builds on it",
				id)
		case !l.state.voidable(e):
			return wrongState(e, "voided")
		}
		return w.append(ctx, Event{Kind: "void", Release: id, Reason: reason})
	})
}

func (w writer) entry(id int64) (*Entry, error) { return w.l.state.entry(id) }

func (s *state) entry(id int64) (*Entry, error) {
	if e := s.byID[id]; e != nil {
		return e, nil
	}
	return nil, refuse(Unknown, "list the releases with tacet ledger list", "the ledger has no release %d", id)
}

func wrongState(e *Entry, wanted string) error {
	return refuse(State, "tacet ledger show tells when this happened", "release %d is %s and cannot be %s", e.ID, e.State,
		wanted)
}
