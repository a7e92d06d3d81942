// Package parquetraw treats a Parquet file as bytes: the footer is a Thrift
// tree whose unknown and unchanged parts stay as they are, a column chunk is a
// run of pages, and a page is levels and indices. It decodes the one column
// that is asked for and never looks into another.
//
// Nothing of a file is trusted: lengths are checked against what holds them
// before anything is allocated. Errors name columns, encodings and codecs and
// never the value of a cell.
package parquetraw

import "fmt"

// A FormatError is a file that is damaged or uses what is not supported.
type FormatError struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
}

func (e *FormatError) Error() string { return e.What }

func damaged(format string, args ...any) error {
	return &FormatError{What: "the Parquet file is damaged: " + fmt.Sprintf(format, args...)}
}

func unsupported(hint, format string, args ...any) error {
	return &FormatError{What: fmt.Sprintf(format, args...), Hint: hint}
}
