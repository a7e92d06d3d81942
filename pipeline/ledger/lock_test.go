package ledger

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLockOfChild: a lock ends when it is unlocked, even where the descriptor
// has been passed on, as it is to every child between its fork and its start.
func TestLockOfChild(t *testing.T) {
	l, of := open(t, filepath.Join(t.TempDir(), "ledger"), Options{Create: true}), nightly("").Series
	unlock, err := l.Lock(of)
	ok(t, err)
	passed := -1
	list, err := os.ReadDir("/proc/self/fd")
	ok(t, err)
	for _, e := range list {
		to, _ := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if fd, err := strconv.Atoi(e.Name()); err == nil && to == filepath.Join(l.Folder(of), "lock") {
			passed, err = unix.Dup(fd)
			ok(t, err)
		}
	}
	if passed < 0 {
		t.Fatal("no descriptor is that of the lock")
	}
	defer unix.Close(passed)
	unlock()
	unlock, err = l.Lock(of)
	ok(t, err)
	unlock()
}
