package publish

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Lock keeps other runs away from a target. It ends with its process,
// however that ends.
type Lock struct{ file *os.File }

// A HeldError is a target that another run works on.
type HeldError struct {
	Path string
	PID  int    // of the other run; 0 where it is not known
	Host string // of the other run
}

func (e *HeldError) Error() string {
	who := "another run"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d on %s", e.PID, e.Host)
	}
	return e.Path + " is being made by " + who
}

// A sweeper holds the lock of a file for a moment, so one refusal says little.
const (
	lockTries = 20
	lockPause = 10 * time.Millisecond
)

// LockTarget takes the lock of the target path: a file beside it that is named
// like a temporary, so that what a killed run leaves is swept like one. Where
// another run has it, the error is a HeldError, at once. On file systems
// without locks there is nothing to take.
func LockTarget(path string) (*Lock, error) {
	for try := 1; ; try++ {
		l, err := tryLock(path)
		var held *HeldError
		if !errors.As(err, &held) && err != errSwept || try == lockTries {
			return l, err
		}
		time.Sleep(lockPause)
	}
}

var errSwept = errors.New("the lock was swept while it was taken")

func tryLock(path string) (*Lock, error) {
	name := filepath.Join(filepath.Dir(path), ".tacet-lock-"+filepath.Base(path)+".tmp")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, systemError("locking", path, err)
	}
	err = lock(f, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil && sameFile(f, name) {
		l := &Lock{f}
		return l, l.sign(path)
	}
	defer f.Close()
	switch {
	case err == nil:
		return nil, errSwept
	case noLocks(err):
		remove(name)
		return &Lock{}, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, heldBy(f, path)
	}
	if st, stErr := f.Stat(); stErr == nil && st.Size() == 0 && sameFile(f, name) {
		remove(name) // whoever holds it has signed it
	}
	return nil, systemError("locking", path, err)
}

// sign says in the file who holds it.
func (l *Lock) sign(path string) error {
	host, _ := os.Hostname()
	err := l.file.Chmod(0o600)
	if err == nil {
		err = l.file.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(l.file, "%d %s\n", os.Getpid(), host)
	}
	if err != nil {
		return systemError("locking", path, errors.Join(err, l.Release()))
	}
	return nil
}

// Release lets others in. It may be called on a nil Lock, and again.
func (l *Lock) Release() error {
	if l == nil || l.file == nil {
		return nil
	}
	// The name goes first: whoever opens it now finds that it is no longer it.
	err := errors.Join(remove(l.file.Name()), l.file.Close())
	l.file = nil
	return err
}

// in reports whether the lock is that of a target in a folder.
func (l *Lock) in(dir string) bool {
	return l.file != nil && filepath.Dir(l.file.Name()) == filepath.Clean(dir)
}

func heldBy(f *os.File, path string) *HeldError {
	e := &HeldError{Path: path}
	b := make([]byte, 300)
	n, _ := f.ReadAt(b, 0)
	if pid, host, ok := strings.Cut(strings.TrimSpace(string(b[:n])), " "); ok {
		e.PID, _ = strconv.Atoi(pid)
		e.Host = strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return '?'
			}
			return r
		}, host)
	}
	return e
}

// sameFile reports whether the name still is that of f.
func sameFile(f *os.File, name string) bool {
	is, err := os.Lstat(name)
	if err != nil {
		return false
	}
	st, err := f.Stat()
	return err == nil && os.SameFile(is, st)
}
