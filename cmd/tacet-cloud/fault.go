package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/aws/smithy-go"
	"gocloud.dev/gcerrors"
)

// The kinds of what can go wrong, for tacet to tell in its own words.
const (
	address = "address" // the address names no bucket, or none that can be opened
	missing = "missing" // there is no such object or bucket
	denied  = "denied"  // the store does not let us
	exists  = "exists"  // an object stands there already
	broken  = "broken"  // the store did not answer, or broke off
	unable  = "unable"  // the store cannot
	changed = "changed" // it is not the object that was listed or opened
)

var errAddress = errors.New("no address of an object")

// kinds are those that the libraries tell apart.
var kinds = map[gcerrors.ErrorCode]string{
	gcerrors.NotFound:           missing,
	gcerrors.PermissionDenied:   denied,
	gcerrors.FailedPrecondition: exists,
	gcerrors.AlreadyExists:      exists,
}

// outcome tells an error by kind and code. The text of a store's error is never
// handed on: it may hold addresses with keys in them.
func (p place) outcome(err error) Outcome {
	if err == nil {
		return Outcome{}
	}
	if errors.Is(err, errAddress) {
		return Outcome{Kind: address}
	}
	o := Outcome{Kind: kinds[gcerrors.Code(err)]}
	var api smithy.APIError
	if errors.As(err, &api) || p.bucket != nil && p.bucket.ErrorAs(err, &api) {
		o.Code = api.ErrorCode()
	}
	if o.Kind == "" && o.Code == "PreconditionFailed" { // of a question that the library does not know
		o.Kind = exists
	}
	if errors.Is(err, context.DeadlineExceeded) {
		o.Code = "no answer in time"
	}
	if o.Kind == "" {
		o.Kind = broken
	}
	return o
}

// tried asks until there is an answer, or asking once more does not help.
func (p place) tried(ask func() error) (err error) {
	for try := range tries {
		if err = ask(); err == nil || !p.again(err) || try == tries-1 {
			break
		}
		time.Sleep(time.Duration(1<<try) * 100 * time.Millisecond)
	}
	return err
}

// again reports whether asking once more may help.
func (p place) again(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || p.outcome(err).Kind == broken
}
