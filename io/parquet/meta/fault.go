package meta

import (
	"errors"

	"github.com/tacet-privacy/tacet/io/table"
)

// ErrUnsupported marks a file with which nothing is wrong as far as is known: it uses what is
// not supported. Test with errors.Is.
var ErrUnsupported = errors.New("not supported")

// Damaged is a file that breaks the format.
func Damaged(format string, args ...any) error {
	return table.Errorf("", "the Parquet file is damaged: "+format, args...)
}

// Unsupported is a file that may be sound and uses what cannot be read; hint,
// which may be empty, says what to do about it.
func Unsupported(hint, format string, args ...any) error {
	e := table.Errorf(hint, format, args...)
	e.Err = ErrUnsupported
	return e
}

// InChunk says in which column and row group (counted from 0) err came up.
func InChunk(err error, column string, group int) error {
	return table.Within(err, "column %q, row group %d", column, group)
}
