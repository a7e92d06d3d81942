package ledger

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/io/publish"
)

// TestNoLedger: files that are none are refused and left as they are.
func TestNoLedger(t *testing.T) {
	dir := t.TempDir()
	database := func(name string, statements ...string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", path)
		ok(t, err)
		defer db.Close()
		for _, s := range append(statements, "CREATE TABLE x (y)") {
			_, err := db.Exec(s)
			ok(t, err)
		}
		return path
	}
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		ok(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	cut := filepath.Join(dir, "cut")
	ok(t, open(t, cut, Options{Create: true}).Close())
	ok(t, os.Truncate(cut, 5000))
	for _, c := range []struct {
		path string
		kind Kind
	}{
		{filepath.Join(dir, "nowhere"), Missing},
		{dir, Foreign},
		{file("empty", ""), Foreign},
		{file("text", "PAR1 no database at all, and longer than a header of 100 bytes, so that nobody stops at its length: "+
			"here it ends"), Foreign},
		{cut, Foreign},
		{database("other"), Foreign},
		{database("newer", "PRAGMA application_id = 1952674924", "PRAGMA user_version = 2"), Newer},
		{database("older", "PRAGMA application_id = 1952674924"), Foreign},
	} {
		before, _ := os.ReadFile(c.path)
		for _, readOnly := range []bool{true, false} {
			_, err := Open(ctx, c.path, Options{ReadOnly: readOnly})
			t.Run(filepath.Base(c.path), func(t *testing.T) { refused(t, err, c.kind) })
		}
		if after, _ := os.ReadFile(c.path); string(before) != string(after) {
			t.Errorf("%s was changed", c.path)
		}
	}
	_, err := Open(ctx, filepath.Join(dir, "no folder", "l"), Options{Create: true})
	var target *publish.TargetError
	if !errors.As(err, &target) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestLocked: another process that writes is waited for, but not for ever.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l := open(t, path, Options{Create: true, Wait: 50 * time.Millisecond})
	publishRelease(t, l, "1")
	other, err := sql.Open("sqlite", path)
	ok(t, err)
	defer other.Close()
	_, err = other.Exec("BEGIN IMMEDIATE")
	ok(t, err)
	_, err = l.Reserve(ctx, nightly("2"), Changes{}, anything)
	refused(t, err, Locked)
	if list := look(t, l).Entries; len(list) != 1 {
		t.Errorf("reading beside a writer: %d releases", len(list))
	}
	_, err = other.Exec("ROLLBACK")
	ok(t, err)
	reserve(t, l, nightly("2"))
}

// TestDamagedOrDisk: what the system refuses is the disk's fault, and what is read and makes no
// sense the ledger's.
func TestDamagedOrDisk(t *testing.T) {
	refused(t, databaseError("reading", "l", errors.New("sql: Scan error on column index 0")), Foreign)
	refused(t, databaseError("reading", "l", &fs.PathError{Op: "read", Path: "l", Err: syscall.EIO}), Disk)
	if kind, _, _ := fromCode(1); kind != Foreign {
		t.Errorf("a table that is gone is %v", kind)
	}
}
