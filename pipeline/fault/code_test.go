package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// TestCodes: what shares an exit code has codes of its own, and only what may pass by
// itself is said to be worth another try.
func TestCodes(t *testing.T) {
	system := func(err error) error { return &publish.SystemError{Op: "writing", Path: "o", Err: err} }
	for _, c := range []struct {
		err   error
		class Class
		code  Code
		retry bool
	}{
		{New(Usage, "", "a flag"), Usage, UsageCode, false},
		{&publish.TargetError{Path: "o", Exists: true}, Usage, ExistsCode, false},
		{fmt.Errorf("first: %w", &publish.TargetError{Path: "o", Exists: true}), Usage, ExistsCode, false},
		{&publish.TargetError{Path: "o", What: "is a folder"}, Usage, UsageCode, false},
		{&store.Error{Kind: store.Exists, URL: "s3://b/o"}, Usage, ExistsCode, false},
		{&store.Error{Kind: store.Denied, URL: "s3://b/o"}, Environment, DeniedCode, false},
		{&store.Error{Kind: store.Broken, URL: "s3://b/o"}, Environment, EnvironmentCode, true},
		{&table.InputError{What: "damaged"}, Input, InputCode, false},
		{New(Privacy, "", "too much"), Privacy, PrivacyCode, false},
		{&publish.HeldError{}, Environment, HeldCode, true},
		{&ledger.Error{Kind: ledger.Locked}, Environment, HeldCode, true},
		{&ledger.Error{Kind: ledger.Disk}, Environment, DiskCode, true},
		{&ledger.Error{Kind: ledger.ReadOnly}, Environment, EnvironmentCode, true},
		{system(syscall.ENOSPC), Environment, DiskCode, true},
		{system(&fs.PathError{Op: "write", Path: "x", Err: syscall.EIO}), Environment, DiskCode, true},
		{system(errors.New("other bytes")), Environment, DiskCode, true},
		{system(syscall.EACCES), Environment, DeniedCode, false},
		{system(syscall.EMFILE), Environment, EnvironmentCode, true},
		{&Fault{Class: Internal, Err: system(syscall.EIO)}, Environment, DiskCode, true},
		{system(syscall.ELOOP), Usage, UsageCode, false},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.ENAMETOOLONG}, Input, InputCode, false},
		{&ledger.Error{Kind: ledger.Broken, Err: &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}}, Privacy, PrivacyCode, false},
		{context.Canceled, Environment, InterruptedCode, true},
		{&Fault{Class: Environment, Err: &Incomplete{context.Canceled}}, Environment, IncompleteCode, true},
		{&Fault{Class: Environment, Err: &Incomplete{system(syscall.ENOSPC)}}, Environment, IncompleteCode, true},
		{errors.New("a bug elsewhere"), Environment, EnvironmentCode, true},
		{New(Published, "", "no report"), Published, PublishedCode, false},
		{New(Internal, "", "a bug"), Internal, InternalCode, false},
	} {
		f := As(c.err)
		if f.Class != c.class || f.Code() != c.code || f.Code().Retry() != c.retry {
			t.Errorf("%T %v: class %d, code %s, retry %v, want %d, %s, %v", c.err, c.err, f.Class, f.Code(), f.Code().Retry(),
				c.class, c.code, c.retry)
		}
	}
}
