package table

import (
	"errors"
	"fmt"
)

// An InputError is a file or schema that cannot be worked on. Its text names
// columns, rows and formats, never the value of a cell.
type InputError struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
	Err  error  // the cause, may be nil; not printed, since libraries quote values
}

func (e *InputError) Error() string { return e.What }

func (e *InputError) Unwrap() error { return e.Err }

// Advice is what to do, may be empty.
func (e *InputError) Advice() string { return e.Hint }

// Errorf is an InputError without a cause.
func Errorf(hint, format string, args ...any) *InputError {
	return &InputError{What: fmt.Sprintf(format, args...), Hint: hint}
}

// Within says where err came up; nil stays nil.
func Within(err error, format string, args ...any) error {
	at := fmt.Sprintf(format, args...)
	if fault := (*InputError)(nil); errors.As(err, &fault) {
		return &InputError{What: at + ": " + fault.What, Hint: fault.Hint, Err: fault.Err}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", at, err)
}

// Guard turns a panic in what reads untrusted bytes into an InputError; it is deferred. What
// any but such an error says may quote data and is dropped.
func Guard(doing string, err *error) {
	switch fault := recover().(type) {
	case nil:
	case *InputError:
		*err = fault
	default:
		*err = Errorf("write the file again", "%s: the bytes are corrupt", doing)
	}
}
