package arrowraw

import "fmt"

// A FormatError is a file that breaks the format or uses a part of it that is
// not supported. Its text holds no value of a cell.
type FormatError struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
}

func (e *FormatError) Error() string { return e.What }

func formatErrorf(format string, args ...any) error {
	return &FormatError{What: fmt.Sprintf(format, args...)}
}

// guard turns a panic in what reads untrusted bytes into an error. The panic
// value is dropped, since it may quote what was read.
func guard(doing string, err *error) {
	if recover() != nil {
		*err = formatErrorf("%s: the bytes are corrupt", doing)
	}
}
