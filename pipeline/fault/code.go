package fault

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// A Code is a word for programs. It tells apart what an exit code has in common.
type Code string

// The codes.
const (
	InternalCode    Code = "internal"
	UsageCode       Code = "usage"
	ExistsCode      Code = "exists" // an output stands there already
	InputCode       Code = "input"
	PrivacyCode     Code = "privacy"
	EnvironmentCode Code = "environment"
	HeldCode        Code = "held"   // by another run
	DiskCode        Code = "disk"   // full, or failing
	DeniedCode      Code = "denied" // whoever runs may not read or write
	InterruptedCode Code = "interrupted"
	IncompleteCode  Code = "incomplete" // some files are in place, and the same run completes them
	PublishedCode   Code = "published"
)

// byClass are the codes of faults of which nothing more is known.
var byClass = map[Class]Code{Internal: InternalCode, Usage: UsageCode, Input: InputCode, Privacy: PrivacyCode,
	Environment: EnvironmentCode, Published: PublishedCode}

// Incomplete is what ended a run that had put some files in place, where the same run
// completes them.
type Incomplete struct{ Err error }

func (e *Incomplete) Error() string { return e.Err.Error() }

func (e *Incomplete) Unwrap() error { return e.Err }

// Retry reports whether the same command may succeed if it is given again, with nothing
// changed but time, or the machine.
func (c Code) Retry() bool {
	switch c {
	case HeldCode, DiskCode, EnvironmentCode, InterruptedCode, IncompleteCode:
		return true
	}
	return false
}

// Code is that of one fault, of several that of the first.
func (f *Fault) Code() Code {
	var (
		target *publish.TargetError
		held   *publish.HeldError
		system *publish.SystemError
		stored *store.Error
		ledged *ledger.Error
		number syscall.Errno
		half   *Incomplete
	)
	switch {
	case f.Class == Usage && errors.As(f.Err, &target) && target.Exists,
		f.Class == Usage && errors.As(f.Err, &stored) && stored.Kind == store.Exists:
		return ExistsCode
	case f.Class != Environment:
		return byClass[f.Class]
	case errors.As(f.Err, &half):
		return IncompleteCode
	case errors.Is(f.Err, context.Canceled):
		return InterruptedCode
	case errors.As(f.Err, &held), errors.As(f.Err, &ledged) && ledged.Kind == ledger.Locked:
		return HeldCode
	case errors.Is(f.Err, fs.ErrPermission), errors.As(f.Err, &stored) && stored.Kind == store.Denied:
		return DeniedCode
	case errors.As(f.Err, &ledged) && ledged.Kind == ledger.Disk:
		return DiskCode
	case errors.As(f.Err, &number) && (number == syscall.ENOSPC || number == syscall.EDQUOT || number == syscall.EIO ||
		number == syscall.EFBIG):
		return DiskCode
	case errors.As(f.Err, &system) && !errors.As(f.Err, &number):
		return DiskCode // it gave back other bytes
	}
	return EnvironmentCode
}
