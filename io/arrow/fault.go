package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/table"
)

// faultf is a file that breaks the format or uses a part of it that is not supported. Its
// text holds no value of a cell.
func faultf(format string, args ...any) *table.InputError {
	return table.Errorf("write the file again", format, args...)
}

// hold panics with a fault unless ok. All who look at untrusted bytes are behind guard.
func hold(ok bool, format string, args ...any) {
	if !ok {
		panic(faultf(format, args...))
	}
}

// guard turns a panic in what reads untrusted bytes into a fault. What any but a fault says
// may quote data and is dropped.
func guard(doing string, err *error) {
	switch fault := recover().(type) {
	case nil:
	case *table.InputError:
		*err = fault
	default:
		*err = faultf("%s: the bytes are corrupt", doing)
	}
}

// guarded is f behind guard.
func guarded(doing string, f func() error) (err error) {
	defer guard(doing, &err)
	return f()
}

// within says where a fault is; failures to read stay what they are.
func within(err error, format string, args ...any) error {
	var fault *table.InputError
	if err == nil || !errors.As(err, &fault) || fault.Err != nil {
		return err
	}
	return table.Errorf(fault.Hint, "%s: %s", fmt.Sprintf(format, args...), fault.What)
}

// readAt reads n bytes at off into room.
func readAt(in io.ReaderAt, room []byte, off int64) error {
	if got, err := in.ReadAt(room, off); got < len(room) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading %d bytes at %d: %w", len(room), off, err)
	}
	return nil
}
