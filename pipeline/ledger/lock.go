package ledger

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock keeps other nights of the series away until unlock is called or the
// process ends, however it ends. Where another holds it, the error is of kind
// Locked, at once.
func (l *Ledger) Lock(of Series) (unlock func(), err error) {
	dir := l.Folder(of)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, databaseError("making the folder", dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, databaseError("locking", dir, err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			break
		}
	}
	if err == nil {
		return func() {
			// A child of this process that has not begun yet holds the file
			// open, too: closing would leave it the lock.
			unix.Flock(int(f.Fd()), unix.LOCK_UN)
			f.Close()
		}, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, refuse(Locked, "wait until the other run has ended", "another release of dataset %q, column %q, is "+
			"running", of.Dataset,
			of.Column)
	}
	return nil, databaseError("locking", dir, err)
}
