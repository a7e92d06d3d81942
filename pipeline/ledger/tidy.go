package ledger

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
)

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
