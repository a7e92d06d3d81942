// Package publish puts files in place atomically and durably: everything is
// written to temporary files in the folders of their targets, synced,
// checked, and only then renamed.
package publish

import "io"

// An Output is a file being written. Writes may come in any order and from
// several goroutines, each byte once.
type Output interface {
	io.WriterAt
	// Truncate sets the final size.
	Truncate(size int64) error
	// Fd is the descriptor for kernel copies; ok is false where there is none.
	Fd() (fd uintptr, ok bool)
}
