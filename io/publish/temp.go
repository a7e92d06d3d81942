package publish

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tempPattern matches the names of named temporaries. One that is in use
// holds a shared lock, so a lock that can be taken alone marks one whose
// process is dead.
const tempPattern = ".tacet-*.tmp"

// newNamed makes a locked temporary of mode 0600 in dir.
func newNamed(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, tempName())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		if err := f.Chmod(0o600); err != nil { // a umask may have taken even these bits
			return nil, discard(f, err)
		}
		if err := share(f); err != nil {
			return nil, discard(f, err)
		}
		// A sweeper may have come between the two steps and removed the name.
		if sameFile(f, name) {
			return f, nil
		}
		f.Close()
	}
}

// sweep removes the temporaries in dir that dead processes left. What cannot
// be removed stays: sweeping is a courtesy, no part of the run.
func sweep(dir string) {
	names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), tempPattern))
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Mode().Perm() == 0o600 {
			// The name may by now be that of a lock taken since.
			if lock(f, unix.LOCK_EX|unix.LOCK_NB) == nil && sameFile(f, name) {
				os.Remove(name)
			}
		}
		f.Close()
	}
}

// reopenNamed opens the temporary for reading, with a lock of its own, so that
// the writing descriptor can be closed.
func reopenNamed(name string, was fs.FileInfo) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !os.SameFile(st, was) {
		err = fs.ErrNotExist
	}
	if err == nil {
		err = share(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func tempName() string { return ".tacet-" + rand.Text() + ".tmp" }

// share takes the lock of a temporary that is in use, where there are locks.
func share(f *os.File) error {
	if err := lock(f, unix.LOCK_SH); !noLocks(err) {
		return err
	}
	return nil
}

func lock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// noLocks reports a file system without locks: there nothing is ever swept,
// since taking the lock fails for the sweeper too.
func noLocks(err error) bool {
	return err == unix.ENOLCK || err == unix.EOPNOTSUPP || err == unix.ENOSYS || err == unix.EINVAL
}

// A name that cannot be removed is tried again; what stays all the same is
// swept by the next run.
const removeTries = 3

// remove succeeds, too, where there is nothing of this name.
func remove(name string) error {
	err := os.Remove(name)
	for try := 1; err != nil && !errors.Is(err, fs.ErrNotExist) && try < removeTries; try++ {
		err = os.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func discard(f *os.File, err error) error {
	remove(f.Name())
	f.Close()
	return err
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}
