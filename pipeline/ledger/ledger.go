package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tacet-privacy/tacet/io/publish"
)

// Options of Open.
type Options struct {
	Create   bool             // make the file where there is none
	ReadOnly bool             // look only; works on media that cannot be written to
	Wait     time.Duration    // longest wait for another process; 0 means 30 s
	Now      func() time.Time // nil means time.Now
}

// A Ledger is an open ledger whose chain has been checked. Its methods may
// be called from several goroutines.
type Ledger struct {
	path, id string
	file     string // as the driver opens it; "" where nobody may write it
	readOnly bool
	now      func() time.Time
	db       *sql.DB
	conn     *sql.Conn
	turn     chan struct{} // holds one token: the connection is one transaction's
	state    *state
}

// Open opens the ledger at path and checks its version, its guards and its
// whole chain. Errors are of type *Error, or io/publish's where the file is
// made.
func Open(ctx context.Context, path string, o Options) (*Ledger, error) {
	l := &Ledger{path: path, readOnly: o.ReadOnly, now: o.Now, turn: make(chan struct{}, 1), state: &state{}}
	if l.now == nil {
		l.now = time.Now
	}
	l.turn <- struct{}{}
	if err := l.exists(ctx, o); err != nil {
		return nil, err
	}
	source, err := l.source(cmp.Or(o.Wait, 30*time.Second))
	if err != nil {
		return nil, err
	}
	if l.db, err = sql.Open("sqlite", source); err != nil {
		return nil, databaseError("opening", path, err)
	}
	if l.conn, err = l.db.Conn(ctx); err == nil {
		err = l.start(ctx)
	}
	if err != nil {
		l.Close()
		return nil, databaseError("opening", path, err)
	}
	return l, nil
}

// Close releases the file. What was recorded is on disk before.
func (l *Ledger) Close() error {
	if l.conn != nil {
		l.conn.Close()
	}
	err := l.db.Close()
	l.tidy()
	return databaseError("closing", l.path, err)
}

// exists finds the file or makes it, whole and at once.
func (l *Ledger) exists(ctx context.Context, o Options) error {
	st, err := os.Stat(l.path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return refuse(Foreign, "name a file", "%s is not a regular file", l.path)
	case err == nil && st.Size() == 0: // to SQLite that is an empty database
		return refuse(Foreign, "remove the file, or give the file that a run with --ledger made",
			"%s is not a ledger: it is empty (0 bytes)",
			l.path)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return databaseError("looking at", l.path, err)
	case !o.Create || o.ReadOnly:
		return refuse(Missing, "give the ledger of an earlier run", "the ledger %s does not exist", l.path)
	}
	file, err := blank(ctx, l.now())
	if err != nil {
		return databaseError("making", l.path, err)
	}
	if err := publish.InFolder(l.path); err != nil {
		return databaseError("making", l.path, err)
	}
	set := publish.NewSet()
	defer set.Abort()
	f, err := set.Add(publish.Target{Path: l.path, Private: true})
	if err == nil {
		if _, err = f.WriteAt(file, 0); err == nil {
			err = f.Close()
		}
	}
	if err == nil {
		err = set.Commit()
	}
	var taken *publish.TargetError
	if errors.As(err, &taken) && taken.Exists { // another process was first
		return nil
	}
	return databaseError("making", l.path, err)
}

// source names the file to the driver. A file that cannot be written to is
// opened as one that nobody writes, which holds if it has no log.
func (l *Ledger) source(wait time.Duration) (string, error) {
	abs, err := filepath.Abs(l.path)
	if err != nil {
		return "", databaseError("looking at", l.path, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	q := url.Values{"_txlock": {"immediate"}, "mode": {"rw"}}
	q["_pragma"] = []string{fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds()), "synchronous(FULL)",
		"recursive_triggers(ON)", "trusted_schema(OFF)", "cell_size_check(ON)"}
	writable := unix.Access(abs, unix.W_OK) == nil && unix.Access(filepath.Dir(abs), unix.W_OK) == nil
	switch {
	case l.readOnly && !writable:
		if st, err := os.Stat(abs + "-wal"); err == nil && st.Size() > 0 {
			return "", refuse(ReadOnly, "copy it to a folder that may be written to, with "+filepath.Base(abs)+"-wal",
				"%s was not closed, and its log cannot be read in this folder", l.path)
		}
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	case l.readOnly:
		q["_pragma"] = append(q["_pragma"], "query_only(ON)")
	case !writable:
		return "", refuse(ReadOnly, "allow writing to the file and its folder", "the ledger %s may not be written to", l.path)
	}
	if writable {
		l.file = abs
	}
	return (&url.URL{Scheme: "file", Path: abs, RawQuery: q.Encode()}).String(), nil
}

// start checks what the connection found.
func (l *Ledger) start(ctx context.Context) error {
	var id, v int
	var journal string
	for pragma, to := range map[string]any{"application_id": &id, "user_version": &v, "journal_mode": &journal} {
		if err := l.conn.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(to); err != nil {
			return err
		}
	}
	switch {
	case id != applicationID:
		return refuse(Foreign, "give the file that a run with --ledger made", "%s is a database, but not a ledger", l.path)
	case v > version:
		return refuse(Newer, "use the tacet that wrote it, or a later one",
			"the ledger %s is of version %d; this tacet reads up to version %d", l.path, v, version)
	case v < version || !l.readOnly && journal != "wal":
		return refuse(Foreign, "restore it from a copy", "the header of the ledger %s was altered", l.path)
	}
	if err := checkSchema(ctx, l.conn); err != nil {
		return err
	}
	if err := l.state.catchUp(ctx, l.conn); err != nil {
		return err
	}
	l.id = l.state.ID
	return nil
}

// tidy removes the log and its index where a connection could not as it closed:
// on a full disk SQLite cannot map the index, and then leaves both. An exclusive
// connection needs no index, and has nobody beside it; what of the log is not in
// the database yet it writes there, or leaves. It is a courtesy: where another
// process has the ledger open, or the disk refuses, the next that closes it
// removes them.
func (l *Ledger) tidy() {
	if l.file == "" || !exists(l.file+"-wal") && !exists(l.file+"-shm") {
		return
	}
	q := url.Values{"mode": {"rw"}, "_pragma": {"locking_mode(EXCLUSIVE)", "synchronous(FULL)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: l.file, RawQuery: q.Encode()}).String())
	if err != nil {
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var tables int
	if db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables) == nil {
		os.Remove(l.file + "-shm")
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
