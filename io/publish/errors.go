package publish

import (
	"errors"
	"io/fs"
	"syscall"
)

// A TargetError is a target that must not be written as it was named: the
// caller has to name another one or to allow overwriting.
type TargetError struct {
	Path string
	What string // what is wrong with it
	Hint string // what to do, may be empty
	// Exists says that a regular file stands there and may not be replaced.
	Exists bool
}

func (e *TargetError) Error() string { return e.Path + " " + e.What }

// errOtherBytes is what a bad disk gives back.
var errOtherBytes = errors.New("it has other bytes on the disk than were written")

// A SystemError is a failure of the machine, not of the request: a full disk,
// a missing permission, a read-only or broken device.
type SystemError struct {
	Op   string // what was being done
	Path string
	Err  error
}

func (e *SystemError) Error() string { return e.Op + " " + e.Path + ": " + e.text() }

func (e *SystemError) Unwrap() error { return e.Err }

// Hint says what to do, where that is known.
func (e *SystemError) Hint() string {
	switch {
	case errors.Is(e.Err, errOtherBytes):
		return "check the disk"
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "free some space or write to another disk"
	case errors.Is(e.Err, fs.ErrPermission):
		return "write to a folder that you may write to"
	case errors.Is(e.Err, syscall.EMFILE), errors.Is(e.Err, syscall.ENFILE):
		return "raise the limit on open files (ulimit -n)"
	case errors.Is(e.Err, syscall.EFBIG):
		return "raise the limit on file sizes (ulimit -f)"
	}
	return ""
}

// text leaves out the temporary name that the standard library puts before
// the cause.
func (e *SystemError) text() string {
	var p *fs.PathError
	var l interface{ Unwrap() error }
	switch {
	case errors.As(e.Err, &p):
		return p.Err.Error()
	case errors.As(e.Err, &l) && l.Unwrap() != nil:
		return l.Unwrap().Error()
	}
	return e.Err.Error()
}

func systemError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &SystemError{op, path, err}
}
