package meta

import "fmt"

// An Error is a file that breaks the format or uses a part of it that is
// not supported. Its text holds no value of a cell.
type Error struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
}

func (e *Error) Error() string { return e.What }

// Errorf is an Error without a hint.
func Errorf(format string, args ...any) error {
	return &Error{What: fmt.Sprintf(format, args...)}
}

// Guard turns a panic in what reads untrusted bytes into an error. The panic
// value is dropped, since it may quote what was read.
func Guard(doing string, err *error) {
	if recover() != nil {
		*err = Errorf("%s: the bytes are corrupt", doing)
	}
}
