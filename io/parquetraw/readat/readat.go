// Package readat reads stretches of a file whole or not at all.
package readat

import (
	"errors"
	"io"
)

// Full fills b with what stands at an offset of r. Where r ends before that,
// the error is io.ErrUnexpectedEOF, also at the very end; other errors are
// those of r.
func Full(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
