package ledger

import (
	"context"
	"database/sql"
	"time"
)

// slack is how far a clock may be set back without a refusal: the event then
// has the time of the one before, and the clock's own reading beside it.
const slack = time.Minute

// A writer appends events within one transaction.
type writer struct {
	l  *Ledger
	tx *sql.Tx
}

// write runs f alone among all processes: nothing is appended between what f
// sees and what f appends. What f appended is kept if f returns nil.
func (l *Ledger) write(ctx context.Context, doing string, f func(writer) error) error {
	if err := l.take(ctx); err != nil {
		return err
	}
	defer l.give()
	if l.readOnly {
		return refuse(ReadOnly, "open it for writing", "the ledger %s is open for reading", l.path)
	}
	tx, err := l.conn.BeginTx(ctx, nil) // immediate, by the name of the source
	if err != nil {
		return databaseError(doing, l.path, err)
	}
	err = l.state.catchUp(ctx, tx)
	if err == nil {
		err = f(writer{l, tx})
	}
	if err == nil {
		err = tx.Commit()
	} else {
		tx.Rollback()
	}
	if err != nil {
		// What f appended is in the state, but not in the file.
		l.state = &state{}
		if again := l.state.catchUp(context.WithoutCancel(ctx), l.conn); again != nil {
			err = again
		}
	}
	return databaseError(doing, l.path, err)
}

// read runs f on the state as it is on disk.
func (l *Ledger) read(ctx context.Context, f func(*state) error) error {
	if err := l.take(ctx); err != nil {
		return err
	}
	defer l.give()
	if err := l.state.catchUp(ctx, l.conn); err != nil {
		return databaseError("reading", l.path, err)
	}
	return databaseError("reading", l.path, f(l.state))
}

func (l *Ledger) take(ctx context.Context) error {
	select {
	case <-l.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Ledger) give() { l.turn <- struct{}{} }

// append completes the event and appends it.
func (w writer) append(ctx context.Context, e Event) error {
	s := w.l.state
	e.Seq, e.Previous = s.seq()+1, s.Head()
	now := w.l.now().UTC().Truncate(time.Second)
	e.When = now.Format(time.RFC3339)
	if now.Before(s.last) {
		e.Clock, e.When = e.When, s.last.Format(time.RFC3339)
	}
	body, err := e.encode()
	if err != nil {
		return err
	}
	hash := hashOf(body)
	if _, err := w.tx.ExecContext(ctx, "INSERT INTO event (seq, body, hash) VALUES (?, ?, ?)", e.Seq, string(body),
		hash); err != nil {
		return err
	}
	return s.append(body, hash, e.Seq)
}

// checkClock refuses a clock that went back.
func (w writer) checkClock() error {
	now, last := w.l.now().UTC().Truncate(time.Second), w.l.state.last
	if now.Before(last.Add(-slack)) {
		return refuse(Clock, "correct the clock, or wait",
			"the clock went back: it shows %s, and the last event of the ledger has the time %s", now.Format(time.RFC3339),
			last.Format(time.RFC3339))
	}
	return nil
}
