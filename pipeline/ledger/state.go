package ledger

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// The states of a release.
const (
	IsReserved  = "reserved"  // counts; nothing of it is published
	IsSealed    = "sealed"    // counts; may be published
	IsCommitted = "committed" // published
	IsVoided    = "voided"    // does not count
)

// An Entry is a release with all that is known of it.
type Entry struct {
	ID    int64 // seq of its reservation
	Night int   // 1, 2, 3, ... within its series, voided ones included
	State string
	Reserved
	Realised *Realised // once it is sealed
	Sealed   int64     // seq of that event; 0 before it
	Reason   string    // of a void
	// When the states were reached, RFC 3339; empty where they were not.
	ReservedAt, SealedAt, CommittedAt, VoidedAt string
}

// Counts reports whether the release counts against a budget.
func (e *Entry) Counts() bool { return e.State != IsVoided }

// state is what the events come to, and what the next is held to.
type state struct {
	Reading
	last    time.Time // of the last event
	changes []*Change // redesign and rotation that the next reservation makes
}

// seq is the number of the last event.
func (s *state) seq() int64 { return int64(len(s.Heads)) }

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each scans the rows of a query, one after the other, and calls f for each.
func each(ctx context.Context, q querier, f func() error, to []any, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// catchUp reads the events after those known, checks that they continue the
// chain and applies them.
func (s *state) catchUp(ctx context.Context, q querier) error {
	var seq int64
	var body, hash string
	err := each(ctx, q, func() error { return s.append([]byte(body), hash, seq) }, []any{&seq, &body, &hash},
		"SELECT seq, body, hash FROM event WHERE seq > ? ORDER BY seq", s.seq())
	if err == nil && s.seq() == 0 {
		return broken(1, "it is missing")
	}
	return err
}

func broken(seq int64, why string) *Error {
	return refuse(Broken, restore,
		"the chain of the ledger is broken at event %d: %s", seq, why)
}

// append checks one event and applies it.
func (s *state) append(body []byte, hash string, seq int64) error {
	want := s.seq() + 1
	if seq != want {
		return broken(want, "it is missing")
	}
	if hashOf(body) != hash {
		return broken(want, "its bytes do not have its hash")
	}
	e, err := decode(body)
	switch {
	case err != nil:
		return broken(want, "it cannot be read")
	case e.Seq != want:
		return broken(want, "it states another number")
	case e.Previous != s.Head():
		return broken(want, "it does not name the hash of the previous event")
	}
	when, err := time.Parse(time.RFC3339, e.When)
	if err != nil || when.Before(s.last) {
		return broken(want, "its time is missing, or earlier than that of the previous event")
	}
	if why := s.apply(e); why != "" {
		return broken(want, why)
	}
	s.Heads, s.last = append(s.Heads, hash), when
	return nil
}

// apply moves the state on; it says what is wrong where the event cannot
// follow those before.
func (s *state) apply(e *Event) (why string) {
	if (e.Kind == "begin") != (e.Seq == 1) {
		return "a ledger has one beginning"
	}
	entry, _ := s.Entry(e.Release)
	switch {
	case e.Kind == "begin" && e.Begin != nil && e.Begin.Format == Format:
		s.ID = e.Begin.ID
	case e.Kind == "reserve" && e.Reserve != nil:
		r, night := *e.Reserve, 1
		if !s.said(&r.Release) {
			return "it changes the design or the key without saying so"
		}
		for i := range slices.Backward(s.Entries) {
			if o := &s.Entries[i]; o.Series == r.Series {
				night = o.Night + 1
				break
			}
		}
		s.Entries = append(s.Entries, Entry{ID: e.Seq, Night: night, State: IsReserved, Reserved: r, ReservedAt: e.When})
	case e.Kind == "seal" && e.Seal != nil && entry != nil && entry.State == IsReserved:
		if h := e.Seal.History; h != nil && h.Base != hashOfSegment(s.History(entry.Series)) {
			return "its history does not continue the previous one"
		}
		entry.State, entry.Realised, entry.SealedAt, entry.Sealed = IsSealed, e.Seal, e.When, e.Seq
	case e.Kind == "commit" && entry != nil && entry.State == IsSealed:
		entry.State, entry.CommittedAt = IsCommitted, e.When
	case e.Kind == "void" && entry != nil && s.voidable(entry):
		entry.State, entry.Reason, entry.VoidedAt = IsVoided, e.Reason, e.When
	case e.Kind == "redesign" && e.Redesign != nil && e.Rotate == nil:
		s.changes = append(s.changes, e.Redesign)
	case e.Kind == "rotate" && e.Rotate != nil && e.Redesign == nil:
		s.changes = append(s.changes, e.Rotate)
	default:
		return "it cannot follow the previous events"
	}
	return ""
}

// said consumes the changes announced for a reservation and reports whether
// they are those that it makes.
func (s *state) said(r *Release) bool {
	said := s.changes
	s.changes = nil
	return slices.EqualFunc(said, s.needed(r), func(a, b *Change) bool {
		return a.Series == b.Series && a.From == b.From && a.To == b.To
	})
}

// needed are the redesign and the rotation that r makes of its series.
func (s *state) needed(r *Release) (list []*Change) {
	design, key := s.Drawn(r.Series)
	if design != "" && design != r.DesignSHA256 {
		list = append(list, &Change{Series: r.Series, From: design, To: r.DesignSHA256})
	}
	if key != "" && r.KeyID != "" && key != r.KeyID {
		list = append(list, &Change{Series: r.Series, From: key, To: r.KeyID})
	}
	return list
}

// voidable: what is published stays; and a sealed release that a later one
// builds on cannot be taken out from under it.
func (s *state) voidable(e *Entry) bool {
	return e.State == IsReserved || e.State == IsSealed && !slices.ContainsFunc(s.Entries, func(o Entry) bool {
		return o.Series == e.Series && o.Counts() && o.Sealed > e.Sealed
	})
}

func hashOfSegment(h *Segment) string {
	if h == nil {
		return ""
	}
	return h.SHA256
}
