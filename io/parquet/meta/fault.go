package meta

import (
	"errors"
	"fmt"
)

// An Error is a file that is damaged or uses what is not supported. Its text
// names columns, encodings and codecs and never the value of a cell.
type Error struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
	// Sound says that nothing is wrong with the file as far as is known: it
	// uses what is not supported.
	Sound bool
}

func (e *Error) Error() string { return e.What }

// Damaged is a file that breaks the format.
func Damaged(format string, args ...any) error {
	return &Error{What: "the Parquet file is damaged: " + fmt.Sprintf(format, args...)}
}

// Unsupported is a file that may be sound and uses what cannot be read; hint,
// which may be empty, says what to do about it.
func Unsupported(hint, format string, args ...any) error {
	return &Error{What: fmt.Sprintf(format, args...), Hint: hint, Sound: true}
}

// InChunk says in which column and row group (counted from 0) err came up.
func InChunk(err error, column string, group int) error {
	var f *Error
	if errors.As(err, &f) {
		return &Error{What: fmt.Sprintf("column %q, row group %d: %s", column, group, f.What), Hint: f.Hint,
			Sound: f.Sound}
	}
	return fmt.Errorf("column %q, row group %d: %w", column, group, err)
}
