package ledger

import (
	"context"
	"slices"
)

// A Rule decides whether a release may begin and what it claims. earlier are
// all releases of the same dataset and population that count, of every
// column, in the order of their reservations. Its error refuses the release
// and is returned as it is. Documents of earlier releases come from document:
// the ledger itself gives none before the rule has decided.
type Rule func(earlier []Entry, document Documents) (Claim, error)

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
	if err := firstError(r.check(), checkText(c.Redesign), checkText(c.Rotate)); err != nil {
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
			t = Ticket{Entry: *e, Again: true, Base: s.history(e.Series)}
			if e.State == IsSealed {
				t.Base = s.before(e)
			}
			return nil
		}
		if err := firstError(w.checkClock(), s.pinned(&r, c)); err != nil {
			return err
		}
		claim, err := rule(s.earlier(r.Dataset, r.Population), documents(w.tx))
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
		t = Ticket{Entry: *s.entries[len(s.entries)-1], Base: s.history(r.Series)}
		return nil
	})
	return t, err
}

// same finds the release that r would be again. Fresh draws never are.
func (s *state) same(r *Release) *Entry {
	if r.KeyID == "" {
		return nil
	}
	for _, e := range slices.Backward(s.entries) {
		if e.Counts() && e.Series == r.Series && e.InputSHA256 == r.InputSHA256 && e.PlanSHA256 == r.PlanSHA256 &&
			e.DesignSHA256 == r.DesignSHA256 && e.KeyID == r.KeyID && e.OnChange == r.OnChange && e.OverBudget == r.OverBudget {
			return e
		}
	}
	return nil
}

// before is the history that e continues or continued.
func (s *state) before(e *Entry) *Segment {
	var last *Segment
	for _, o := range s.sealed[e.Series] {
		if o == e {
			break
		}
		if o.Realised.History != nil {
			last = o.Realised.History
		}
	}
	return last
}

// pinned refuses a key or a design that changes unsaid.
func (s *state) pinned(r *Release, c Changes) error {
	design, key := s.drawn(r.Series)
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

func (s *state) earlier(dataset, population string) []Entry {
	var list []Entry
	for _, e := range s.entries {
		if e.Counts() && e.Dataset == dataset && e.Population == population {
			list = append(list, *e)
		}
	}
	return list
}
