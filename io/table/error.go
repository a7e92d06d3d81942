package table

import "fmt"

// An InputError is a file or schema that cannot be worked on. Its text names
// columns, rows and formats, never the value of a cell.
type InputError struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
	Err  error  // the cause, may be nil; not printed, since libraries quote values
}

func (e *InputError) Error() string { return e.What }

func (e *InputError) Unwrap() error { return e.Err }

// Errorf is an Error without a cause.
func Errorf(hint, format string, args ...any) *InputError {
	return &InputError{What: fmt.Sprintf(format, args...), Hint: hint}
}
