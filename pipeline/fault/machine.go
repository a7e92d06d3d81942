package fault

import (
	"errors"
	"io/fs"
	"syscall"
)

// Unreadable is a file that cannot be opened or read. Its class is Input where
// the path is to blame, for which flag names where it was given; As tells it
// from a machine that has no room or no descriptors left.
func Unreadable(flag, path string, err error) *Fault {
	hint := "check the path"
	if flag != "" {
		hint += " given to " + flag
	}
	f := New(Input, hint, "%s cannot be read: %v", path, PathCause(err))
	f.Err = err
	return f
}

// ofPath are the reasons for which the path, or who runs, is to blame.
var ofPath = []error{fs.ErrNotExist, fs.ErrPermission, fs.ErrExist, fs.ErrInvalid, syscall.ENOTDIR, syscall.EISDIR,
	syscall.ELOOP, syscall.ENAMETOOLONG,
	syscall.EINVAL, syscall.ENXIO, syscall.EBADF}

// ofName reports whether the path leads nowhere, whatever is on the disk.
func ofName(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG)
}

// ofMachine reports whether the operating system failed, and not for the path.
func ofMachine(err error) bool {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return false
	}
	for _, reason := range ofPath {
		if errors.Is(number, reason) {
			return false
		}
	}
	return true
}

func machineHint(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "raise the limit on open files (ulimit -n)"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space"
	case errors.Is(err, syscall.ENOMEM):
		return "free some memory"
	}
	return "check the disk and run again"
}
