package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"

	"github.com/tacet-privacy/tacet/io/publish"
)

// A Kind says why the ledger refuses, for callers that choose an exit code.
type Kind int

// The kinds. None of them changes the ledger.
const (
	Missing   Kind = iota + 1 // there is no such file
	Foreign                   // the file is not a ledger, or damaged as a database
	Newer                     // a later version wrote it
	Broken                    // the chain, the guards or a state do not hold
	Locked                    // another process writes, or another night runs
	ReadOnly                  // it may not be written to
	Disk                      // full, or failing
	Clock                     // the clock stands before the last event
	Malformed                 // a release or reason that cannot be written down
	Unknown                   // no release has this id
	State                     // a release is not in the state that this needs
	Key                       // another key than the series is drawn with
	Design                    // another design than the series is pinned to
	Output                    // a replay that did not give the same bytes
)

// An Error is a refusal that names what is wrong and what to do.
type Error struct {
	Kind Kind
	What string
	Hint string // may be empty
	Err  error  // cause, may be nil; not printed
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Err }

const damaged = "the ledger is damaged"

// restore is the hint for a ledger that is not what it was.
const restore = "restore it from a copy, and compare its head with the last report"

func refuse(k Kind, hint, format string, args ...any) *Error {
	return &Error{Kind: k, What: fmt.Sprintf(format, args...), Hint: hint}
}

// databaseError words what SQLite or the system says while doing something
// to the ledger at path.
func databaseError(doing, path string, err error) error {
	var (
		own    *Error
		target *publish.TargetError
		system *publish.SystemError
	)
	if err == nil || errors.As(err, &own) || errors.As(err, &target) || errors.As(err, &system) ||
		errors.Is(err, context.Canceled) {
		return err
	}
	e := &Error{Kind: Disk, What: doing + " " + path + ": " + err.Error(), Hint: "write to another disk", Err: err}
	var lite *sqlite.Error
	var number syscall.Errno
	switch {
	case errors.As(err, &lite):
		e.Kind, e.What, e.Hint = fromCode(lite.Code())
		e.What = doing + " " + path + ": " + e.What
	case errors.Is(err, syscall.ENOSPC):
		e.Hint = "free some space"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Kind, e.Hint = ReadOnly, "allow writing to the file and its folder"
	case !errors.As(err, &number): // what is read is not what was written
		e.Kind, e.What, e.Hint = Foreign, doing+" "+path+": "+damaged, restore
	}
	return e
}

// fromCode translates SQLite's result codes (sqlite.org/rescode.html).
func fromCode(code int) (k Kind, what, hint string) {
	if code == 4874 || code == 5386 { // SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHMMAP
		return Disk, "the disk has no room for the index of the log", "free some space"
	}
	switch code &= 0xff; code {
	case 5, 6: // SQLITE_BUSY, SQLITE_LOCKED
		return Locked, "the ledger is locked by another process", "wait until the other run has ended"
	case 3, 8, 14, 23: // SQLITE_PERM, READONLY, CANTOPEN, AUTH
		return ReadOnly, "the ledger may not be written to", "allow writing to the file and its folder"
	case 13: // SQLITE_FULL
		return Disk, "no space left on the disk", "free some space"
	case 11: // SQLITE_CORRUPT
		return Foreign, damaged, restore
	case 26: // SQLITE_NOTADB
		return Foreign, "the file is not a ledger", "give the file that a run with --ledger made"
	case 19: // SQLITE_CONSTRAINT
		return Broken, "a guard of the ledger refused the event", "run tacet ledger verify to learn more"
	case 1, 18, 20, 24, 25: // SQLITE_ERROR, TOOBIG, MISMATCH, FORMAT, RANGE: tables are not what they were
		return Foreign, damaged, restore
	}
	return Disk, fmt.Sprintf("the disk failed (SQLite code %d)", code), "check the disk"
}
